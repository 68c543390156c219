"""Use cases of the policy for idle sessions, over a backend in memory."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest

from jupyter_gpuquota.core.idle.policy import Subject
from jupyter_gpuquota.core.idle.replay import Stretch
from jupyter_gpuquota.errors import InvalidFields, NotAllowed, NotFound, Outdated, WrongState
from jupyter_gpuquota.model.idleness import KeepAliveRequest
from jupyter_gpuquota.model.policy import Exemption, Policy, PolicyRequest
from jupyter_gpuquota.model.projects import AuditQuery, ProjectRemoval
from jupyter_gpuquota.model.sessions import Session, SessionQuery, SessionRequest
from jupyter_gpuquota.ports.backend import Backend
from tests import fakes
from tests.fakes import make_backend, record

pytestmark = pytest.mark.asyncio


def guarded(**settings: Any) -> Backend:
    return make_backend(admins=("ana",), **settings)


async def ask(backend: Backend, name: str, user: str = "ben", **fields: Any) -> Any:
    return await fakes.ask(backend, name, user, **fields)


async def put(backend: Backend, user: str = "ana", **request: Any) -> Policy:
    body = msgspec.convert(
        {"revision": backend.policing.policy().revision} | request, PolicyRequest
    )
    return await ask(backend, "policy.put", user, body=body)


def level(name: str, **rules: Any) -> dict[str, Any]:
    return {"level": name, "rules": rules}


def exemption(days: int, who: str = "user:ben") -> dict[str, str]:
    until = datetime.now(UTC) + timedelta(days=days)
    return {"who": who, "until": until.isoformat(), "reason": "A demo."}


async def keep(backend: Backend, *exemptions: dict[str, str]) -> Policy:
    """Allow stored exemptions that were valid once."""
    kept = tuple(msgspec.convert(each, Exemption) for each in exemptions)
    policy = msgspec.structs.replace(backend.policing.policy(), exemptions=kept)
    return await backend.administration.put("policy", policy, "ana")


async def launch(backend: Backend, **fields: Any) -> Session:
    body = SessionRequest(name="exp-1", project="team-a", **fields)
    return await ask(backend, "sessions.create", body=body)


async def on(backend: Backend, name: str, session: Session, **fields: Any) -> Any:
    return await ask(backend, name, args={"id": session.id}, **fields)


async def test_everyone_reads_the_policy_and_only_an_admin_sets_it() -> None:
    backend = guarded()
    made = await put(backend, levels=[level("everyone", idle_timeout="2h")])
    assert await ask(backend, "policy.get") == made
    with pytest.raises(NotAllowed, match="ben is not an administrator"):
        await put(backend, "ben")
    with pytest.raises(Outdated):
        await put(backend, revision="1")
    assert backend.policing.policy() == made


async def test_a_policy_that_cannot_work_is_refused_with_every_field() -> None:
    backend = guarded()
    levels = [level("everyone", warn_before="soon"), level("project:team-z", keep_alives=-1)]
    with pytest.raises(InvalidFields) as caught:
        await put(backend, levels=levels)
    named = {"levels[0].rules.warn_before", "levels[1].level", "levels[1].rules.keep_alives"}
    assert {f.field for f in caught.value.fields} == named


async def test_a_timeout_is_measured_by_how_often_the_backend_looks() -> None:
    backend = guarded(idle_interval=600)
    with pytest.raises(InvalidFields, match="at least 20 min"):
        await put(backend, levels=[level("everyone", idle_timeout="15m")])


async def test_an_exemption_that_is_over_goes_and_is_not_made() -> None:
    backend = guarded()
    with pytest.raises(InvalidFields) as caught:
        await put(backend, exemptions=[exemption(1), exemption(-1)])
    assert [f.field for f in caught.value.fields] == ["exemptions[1].until"]
    await put(backend, exemptions=[exemption(1)])
    await keep(backend, exemption(1), exemption(-1, "user:cho"))
    asked = msgspec.to_builtins(backend.policing.policy())["exemptions"]
    assert len(asked) == 2
    made = await put(backend, exemptions=asked)
    assert [e.who for e in made.exemptions] == ["user:ben"]


async def test_an_exemption_lasts_for_a_time_as_people_write_it() -> None:
    backend = guarded()
    now = datetime.now(UTC).replace(microsecond=0)
    for until, hours in (("3d", 72), ("1 hour", 1), (" 2 h ", 2)):
        made = await put(backend, exemptions=[{**exemption(1), "until": until}])
        left = made.exemptions[0].until - now
        assert timedelta() <= left - timedelta(hours=hours) < timedelta(minutes=1)
    for until in ("0", "tomorrow", "9999999999d", "999999999 days"):
        with pytest.raises(InvalidFields) as caught:
            await put(backend, exemptions=[{**exemption(1), "until": until}])
        assert [f.field for f in caught.value.fields] == ["exemptions[0].until"]


async def test_a_session_is_excepted_by_its_name_and_kept_by_its_id() -> None:
    backend = guarded()
    session = await launch(backend)
    made = await put(backend, exemptions=[exemption(1, "session:exp-1")])
    assert [each.who for each in made.exemptions] == [f"session:{session.id}"]
    assert (await on(backend, "sessions.policy", session)).exempt == made.exemptions[0]
    wanted = [
        exemption(1, "session:gone"),
        exemption(1, "project:no-such"),
        {**exemption(1, "session:exp"), "reason": " "},
    ]
    for route in ("policy.put", "policy.preview"):
        body = msgspec.convert({"revision": made.revision, "exemptions": wanted}, PolicyRequest)
        with pytest.raises(InvalidFields) as caught:
            await ask(backend, route, "ana", body=body)
        assert {field.field for field in caught.value.fields} == {
            "exemptions[0].who",
            "exemptions[1].who",
            "exemptions[2].who",
            "exemptions[2].reason",
        }


async def test_an_exemption_of_what_is_gone_is_in_nobodys_way() -> None:
    backend = guarded()
    session = await launch(backend)
    made = await put(backend, exemptions=[exemption(1, "session:exp-1")])
    await backend.sessions.stop(session.id)
    await backend.sessions.delete(session.id)
    asked = msgspec.to_builtins(made)["exemptions"]
    levels = [level("everyone", idle_timeout="2h")]
    assert (await put(backend, levels=levels, exemptions=asked)).exemptions == made.exemptions


async def test_who_changes_what_is_outdated_is_told_that_first() -> None:
    backend = guarded()
    kept = await keep(backend, exemption(-1))
    asked = msgspec.to_builtins(kept)["exemptions"]
    await put(backend, levels=[level("everyone", idle_timeout="2h")])  # it drops what is over
    stale = {"revision": kept.revision, "exemptions": asked}
    with pytest.raises(Outdated, match=r"^ana changed the policy at .* Your change was not saved"):
        await put(backend, **stale)
    body = msgspec.convert(stale, PolicyRequest)
    with pytest.raises(Outdated):
        await ask(backend, "policy.preview", "ana", body=body)
    with pytest.raises(InvalidFields):
        await ask(backend, "policy.preview", "ana", body=msgspec.structs.replace(body, revision=""))


async def test_a_session_tells_which_level_decided_each_rule() -> None:
    backend = guarded()
    levels = [
        level("everyone", idle_timeout="2h", action="stop"),
        level("project:team-a", idle_timeout="1h"),
    ]
    await put(backend, levels=levels, exemptions=[exemption(1)])
    found = await on(backend, "sessions.policy", await launch(backend))
    rules = {rule.rule: (rule.value, rule.level) for rule in found.rules}
    assert rules["idle_timeout"] == ("1h", "project:team-a")
    assert rules["action"] == ("stop", "everyone")
    assert rules["warn_before"] == ("10m", "built-in")
    assert found.exempt.who == "user:ben"


async def test_a_session_is_kept_alive_for_as_long_as_is_said() -> None:
    backend = guarded()
    session = await launch(backend)
    now = datetime.now(UTC)
    for span, seconds in (("", 3600), ("30m", 3600), (1800, 3600)):
        found = await on(backend, "sessions.keep_alive", session, body=KeepAliveRequest(span=span))
        assert now + timedelta(seconds=seconds) <= found.kept.until
    with pytest.raises(NotAllowed, match="for at most 1h at a time"):
        await on(backend, "sessions.keep_alive", session, body=KeepAliveRequest(span="2h"))


async def test_keeping_alive_is_offered_where_the_policy_would_end_the_session() -> None:
    backend = guarded()
    session = await launch(backend)
    listed = await ask(backend, "sessions.list", "ben", query=SessionQuery())
    assert "keep_alive" not in listed.items[0].actions
    await put(backend, levels=[level("everyone", idle_timeout="2h")])
    listed = await ask(backend, "sessions.list", "ben", query=SessionQuery())
    assert "keep_alive" in listed.items[0].actions
    assert "keep_alive" in (await on(backend, "sessions.get", session)).actions


@pytest.mark.parametrize("span", ["0", 0, -1, "ever", "9999d", "1h 2"])
async def test_a_span_that_means_nothing_is_refused(span: str | int) -> None:
    backend = guarded()
    session = await launch(backend)
    with pytest.raises(InvalidFields) as caught:
        await on(backend, "sessions.keep_alive", session, body=KeepAliveRequest(span=span))
    assert [f.field for f in caught.value.fields] == ["span"]


async def test_activity_is_told_of_a_running_session() -> None:
    backend = guarded()
    session = await launch(backend)
    assert (await on(backend, "sessions.activity", session)).session == session.id
    await backend.sessions.stop(session.id)
    with pytest.raises(WrongState):
        await on(backend, "sessions.activity", session)
    gone = {"args": {"id": "nobody"}}
    for name in ("sessions.policy", "sessions.activity"):
        with pytest.raises(NotFound):
            await ask(backend, name, **gone)


async def test_a_project_takes_its_level_with_it() -> None:
    backend = guarded()
    levels = [level("everyone", idle_timeout="2h"), level("project:team-b", idle_timeout="1h")]
    await put(backend, levels=levels)
    args = {"args": {"name": "team-b"}, "query": ProjectRemoval()}
    await ask(backend, "projects.delete", "ana", **args)
    assert [each.level for each in (await ask(backend, "policy.get")).levels] == ["everyone"]
    entries = (await ask(backend, "audit.list", "ana", query=AuditQuery())).items
    assert [entry.what for entry in entries][:2] == [
        "removed team-b from the policy",
        "deleted project team-b",
    ]


async def test_a_policy_is_previewed_on_what_was_recorded() -> None:
    backend, now = guarded(), int(datetime.now(UTC).timestamp())
    who = Subject("s1", "ben", "team-a", "interactive")
    stretches = [
        Stretch(who, now - 30 * 86_400, now - 29 * 86_400, idle=True),  # too long ago
        Stretch(who, now - 7200, now, idle=True),
    ]
    record(backend, stretches)
    levels = ({"level": "everyone", "rules": {"idle_timeout": "1h"}},)
    body = msgspec.convert({"levels": levels}, PolicyRequest)
    found = await ask(backend, "policy.preview", "ana", body=body)
    assert (found.key, found.args["n"]) == ("past.idle.part", 1)
    assert found.text.startswith("It would have ended 1 idle session in the last 2 h")
    assert backend.policing.policy().levels == ()
    with pytest.raises(NotAllowed):
        await ask(backend, "policy.preview", "ben", body=body)
