"""The rulings of the idle policy, and how it is set."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import msgspec
import pytest
from msgspec.structs import replace

from jupyter_gpuquota.core.idle.policy import BUILT_IN
from jupyter_gpuquota.core.idle.policy_check import check_policy
from jupyter_gpuquota.errors import NotAllowed, NotFound, Outdated, WrongState
from jupyter_gpuquota.model.policy import Exemption, Policy, PolicyRequest
from jupyter_gpuquota.ports.backend import Backend
from tests.contract.backend_contract import launch, until

pytestmark = pytest.mark.asyncio


def asked(backend: Backend, *levels: str, **rules: object) -> Policy:
    """Return a policy that sets the same rules at some levels."""
    made = [{"level": level, "rules": rules} for level in levels]
    request = {"levels": made, "revision": backend.policing.policy().revision}
    return check_policy(msgspec.convert(request, PolicyRequest), ["team-a", "team-b", "team-c"])


async def test_nothing_is_acted_on_until_an_admin_sets_something(backend: Backend) -> None:
    policy = backend.policing.policy()
    assert (policy.levels, policy.exemptions, policy.built_in) == ((), (), BUILT_IN)
    assert backend.policing.interval > 0
    session = await until(backend, (await launch(backend)).id, "running")
    limits = (await backend.policing.ruling(session.id)).limits
    assert (limits.idle_timeout, limits.gpu_idle_timeout) == (0, 0)


async def test_a_policy_is_set_as_a_whole_and_audited(backend: Backend) -> None:
    session = await until(backend, (await launch(backend)).id, "running")
    before, seen = backend.policing.policy(), backend.changes.revision("policy")
    wanted = asked(backend, "everyone", "project:team-a", idle_timeout="2h")
    made = await backend.administration.put("policy", wanted, "ana")
    assert backend.policing.policy() == made
    assert (made.levels, made.built_in) == (wanted.levels, BUILT_IN)
    assert made.revision != before.revision
    assert backend.changes.revision("policy") != seen
    ruling = await backend.policing.ruling(session.id)
    assert ruling.limits.idle_timeout == 7200
    assert ruling.level("idle_timeout") == "project:team-a"
    entry = (await backend.administration.audit())[0]
    assert (entry.who, entry.what) == ("ana", "changed the policy")
    assert msgspec.json.decode(entry.before, type=Policy) == before
    assert msgspec.json.decode(entry.after, type=Policy) == made
    with pytest.raises(Outdated):
        await backend.administration.put("policy", wanted, "ben")
    assert backend.policing.policy() == made


async def test_what_the_policy_says_of_a_project_goes_with_it(backend: Backend) -> None:
    exempt = {"until": datetime.now(UTC) + timedelta(days=1), "reason": "A demo."}
    wanted = asked(backend, "everyone", "project:team-b", idle_timeout="2h")
    exemptions = tuple(
        msgspec.convert({"who": who, **exempt}, type=Exemption)
        for who in ("project:team-b", "user:ana")
    )
    made = await backend.administration.put("policy", replace(wanted, exemptions=exemptions), "ana")
    await backend.administration.delete_project("team-b", "", "ana", drain=False)
    left = backend.policing.policy()
    assert [level.level for level in left.levels] == ["everyone"]
    assert [exemption.who for exemption in left.exemptions] == ["user:ana"]
    assert left.revision != made.revision
    entry = next(e for e in await backend.administration.audit() if "policy" in e.what)
    assert entry.what == "removed team-b from the policy"
    assert msgspec.json.decode(entry.before, type=Policy) == made
    assert msgspec.json.decode(entry.after, type=Policy) == left
    await backend.administration.put("policy", replace(left, levels=()), "ben")


async def test_a_session_is_kept_alive_as_the_policy_allows(backend: Backend) -> None:
    session = await until(backend, (await launch(backend)).id, "running")
    wanted = asked(backend, "everyone", idle_timeout="2h", keep_alive="1h", keep_alives=2)
    await backend.administration.put("policy", wanted, "ana")
    kept = await backend.policing.keep_alive(session.id, 0)
    assert kept.kept is not None
    assert kept.kept.until > datetime.now(UTC) + timedelta(minutes=59)
    with pytest.raises(NotAllowed):
        await backend.policing.keep_alive(session.id, 7200)
    again = await backend.policing.keep_alive(session.id, 60)  # puts nothing off: not counted
    assert (again.kept.until, again.kept.times) == (kept.kept.until, 1)
    await backend.administration.put("policy", asked(backend, "everyone", keep_alives=1), "ana")
    with pytest.raises(NotAllowed):
        await backend.policing.keep_alive(session.id, 0)
    await backend.sessions.suspend(session.id)
    assert (await until(backend, session.id, "suspended")).kept is None
    await backend.sessions.resume(session.id)
    assert (await until(backend, session.id, "running")).kept is None


async def test_only_a_running_session_is_looked_at(backend: Backend) -> None:
    session = await until(backend, (await launch(backend)).id, "running")
    assert (await backend.policing.activity(session.id)).session == session.id
    await backend.sessions.stop(session.id)
    stopped = await until(backend, session.id, "stopped")
    for ask in (backend.policing.ruling, backend.policing.activity):
        with pytest.raises(NotFound):
            await ask("nobody")
    with pytest.raises(WrongState):
        await backend.policing.activity(stopped.id)
    with pytest.raises(WrongState):
        await backend.policing.keep_alive(stopped.id, 0)
