"""Settings of admins are stored, audited, and read from a quota file if configured."""

from __future__ import annotations

import getpass
import sqlite3
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from jupyter_gpuquota.control.settings.settings import AuditNote, SettingsStore
from jupyter_gpuquota.core.access import Caller
from jupyter_gpuquota.errors import Conflict, NotFound, Outdated, StorageFailed
from jupyter_gpuquota.local.backend import account_project
from jupyter_gpuquota.local.state.store import KIND, Store
from jupyter_gpuquota.model.policy import PolicyLevel, PolicyRules
from jupyter_gpuquota.model.projects import Groups, NodeGroup, SettingsTextRequest
from jupyter_gpuquota.model.quota import Affinity, Project
from tests.contract.backend_contract import launch, until
from tests.fakes import ask
from tests.local.conftest import wait_for

pytestmark = pytest.mark.asyncio

GOOD = """\
projects:
  - name: team-a
    quota: 2.5
    members: [ana, ben]
    interactive_duration: 8h
    node_affinity: {train: [big]}
  - name: team-b
    quota: 1
    limit: 4
groups:
  - name: big
    nodes: [dgx1-2]
    separate: true
rules:
  grace: 30
"""


def names(backend) -> list[str]:
    return [project.name for project in backend.inventory.projects()]


async def test_the_configuration_counts_until_an_admin_changes_something(make):
    first = await make()
    assert (names(first), first.administration.set_by()) == (["team-a", "team-b"], "config")
    await first.resident.close()
    second = await make(projects=[{"name": "team-z", "quota": "1"}])
    assert (names(second), second.changes.warnings()) == (["team-z"], ())
    await second.administration.put_project(Project(name="new", quota=500, revision=""), "ana")
    assert (names(second), second.administration.set_by()) == (["team-z", "new"], "store")
    await second.resident.close()
    third = await make()
    assert names(third) == ["team-z", "new"]
    assert "GpuQuota.projects" in third.changes.warnings()[0]
    assert [entry.what for entry in await third.administration.audit()] == ["created project new"]


async def test_without_configuration_there_is_one_project_that_owns_all(make):
    backend = await make(projects=[])
    (own,) = backend.inventory.projects()
    assert (own.name, own.quota) == (account_project(), 8000)
    await backend.administration.delete_project(own.name, "", "ana", drain=False)
    assert backend.inventory.projects() == ()
    await backend.resident.close()
    assert (await make(projects=[])).inventory.projects() == ()


async def test_revisions_go_on_after_a_restart(make):
    first = await make()
    seen = first.inventory.projects()[0]
    changed = await first.administration.put_project(replace(seen, quota=1000), "ana")
    await first.resident.close()
    second = await make()
    assert second.inventory.projects()[0] == changed
    with pytest.raises(Outdated, match="ana changed project team-a"):
        await second.administration.put_project(replace(seen, quota=9000), "ben")
    again = await second.administration.put_project(replace(changed, quota=2000), "ben")
    assert again.revision != changed.revision
    await second.administration.delete_project("team-b", "", "cho", drain=False)
    with pytest.raises(Outdated, match="cho deleted project team-b"):
        await second.administration.put_project(replace(seen, name="team-b"), "ben")


async def test_the_policy_is_kept_and_only_its_own_screens_read_again(make):
    first = await make()
    level = PolicyLevel(level="project:team-a", rules=PolicyRules(idle_timeout=3600))
    wanted = replace(first.policing.policy(), levels=(level,))
    quota, seen = first.changes.revision("quota"), first.changes.revision("policy")
    made = await first.administration.put("policy", wanted, "ana")
    assert (first.changes.revision("quota"), first.administration.set_by()) == (quota, "config")
    assert first.changes.revision("policy") != seen
    seen = first.changes.revision("policy")
    await first.administration.put("rules", replace(first.inventory.rules(), grace=7), "ana")
    assert first.changes.revision("policy") == seen
    assert first.changes.revision("quota") != quota
    await first.resident.close()
    second = await make()
    assert second.policing.policy() == made
    with pytest.raises(Outdated, match=r"ana changed the policy at .* Your change was not saved"):
        await second.administration.put("policy", wanted, "ben")
    await second.administration.delete_project("team-a", "", "cho", drain=False)
    left = second.policing.policy()
    assert (left.levels, left.revision != made.revision) == ((), True)
    again = await second.administration.put("policy", replace(left, levels=made.levels), "ben")
    assert again.revision != left.revision
    await second.resident.close()
    assert (await make()).policing.policy() == again


async def test_what_the_policy_says_of_a_project_goes_once_it_has_drained(make):
    backend = await make()
    level = PolicyLevel(level="project:team-a", rules=PolicyRules(idle_timeout=3600))
    wanted = replace(backend.policing.policy(), levels=(level,))
    await backend.administration.put("policy", wanted, "ana")
    session = await until(backend, (await launch(backend)).id, "running")
    await backend.administration.delete_project("team-a", "", "ana", drain=True)
    assert backend.policing.policy().levels == (level,)
    await backend.sessions.stop(session.id)
    await wait_for(lambda: backend.policing.policy().levels == ())
    said = [(entry.who, entry.what) for entry in (await backend.administration.audit())[:2]]
    assert said == [
        ("system", "removed team-a from the policy"),
        ("system", "deleted project team-a after draining"),
    ]


async def test_a_state_file_of_the_version_before_is_brought_up(make, settings):
    state = Path(settings["home"])
    state.mkdir(mode=0o700)
    with sqlite3.connect(state / "state.db") as connection:
        connection.executescript(f"{KIND.migrations[0]} PRAGMA user_version = 1;")
    connection.close()
    backend = await make()
    assert names(backend) == ["team-a", "team-b"]
    await backend.administration.put_project(Project(name="new", quota=1, revision=""), "ana")


async def test_settings_survive_a_damaged_state_file(make, settings):
    backend = await make()
    await backend.administration.put_project(Project(name="new", quota=500, revision=""), "ana")
    kept = backend.inventory.projects()
    await backend.resident.close()
    Path(settings["home"], "state.db").write_bytes(b"not a database" * 1000)
    again = await make()
    assert again.inventory.projects() == kept
    newer = await again.administration.put_project(replace(kept[-1], quota=1), "ana")
    assert newer.revision != kept[-1].revision


async def test_a_change_that_cannot_be_kept_has_not_happened(tmp_path):
    store = Store(tmp_path / "state.db")
    settings = SettingsStore(store.database)
    before = settings.stored
    store.database._db.execute("PRAGMA query_only = 1")
    with pytest.raises(StorageFailed):
        settings.change(replace(before, projects=()), "ana", AuditNote("deleted everything"))
    assert settings.stored == before
    store.close()
    assert SettingsStore(Store(tmp_path / "state.db").database).stored == before


async def test_the_account_is_the_admin_on_its_socket_unless_others_are_named(make):
    account = getpass.getuser()
    callers = [
        Caller(account, known="socket"),
        Caller(account, known="jupyterhub"),
        Caller("somebody", known="token"),
    ]

    async def admins(backend) -> list[bool]:
        return [(await backend.access.rights(caller)).admin for caller in callers]

    backend = await make()
    assert await admins(backend) == [True, False, False]
    await backend.resident.close()
    named = await make(admins=["somebody"])
    assert await admins(named) == [account == "root", False, True]


async def test_groups_bind_sessions_to_nodes(make):
    backend = await make()
    groups = Groups(items=(NodeGroup(name="big", nodes=("dgx1-2",), separate=True),), revision="1")
    await backend.administration.put("groups", groups, "ana")
    by_name = {node.name: (node.labels, node.separate) for node in backend.inventory.nodes()}
    assert by_name == {"dgx1-1": ((), False), "dgx1-2": (("big",), True)}
    bound = replace(backend.inventory.projects()[0], node_affinity=Affinity(interactive=("big",)))
    await backend.administration.put_project(bound, "ana")
    session = await until(backend, (await launch(backend, gpu="1")).id, "running")
    assert session.placement.node == "dgx1-2"


async def test_a_quota_file_sets_everything_and_is_followed(make, tmp_path):
    path = tmp_path / "quota.yaml"
    path.write_text(GOOD)
    backend = await make(quota_file=str(path))
    assert (names(backend), backend.administration.set_by()) == (["team-a", "team-b"], "file")
    team_a, team_b = backend.inventory.projects()
    assert (team_a.quota, team_a.interactive_duration, team_b.limit) == (2500, 28_800, 4000)
    assert backend.inventory.rules().grace == 30
    assert backend.administration.groups().items[0].name == "big"
    assert backend.inventory.nodes()[1].separate
    for change in (
        backend.administration.put_project(Project(name="new", quota=1, revision=""), "ana"),
        backend.administration.delete_project("team-a", "", "ana", drain=True),
        backend.administration.put("rules", backend.inventory.rules(), "ana"),
        backend.administration.put("groups", backend.administration.groups(), "ana"),
        backend.administration.put("policy", backend.policing.policy(), "ana"),
        backend.administration.put_text(SettingsTextRequest(text="", revision=""), "ana"),
    ):
        with pytest.raises(Conflict, match=str(path)):
            await change

    shown = await backend.administration.text()
    assert (shown.file, "interactive_duration: 8h" in shown.text) == (str(path), True)
    seen = backend.changes.revision("quota")
    path.write_text(GOOD.replace("quota: 2.5", "quota: 3") + "extra: 1\n")
    said = "Line 16, extra: Unknown field."
    await wait_for(lambda: any(said in text for text in backend.changes.warnings()))
    await wait_for(lambda: backend.changes.revision("quota") != seen)
    listed = await ask(backend, "projects.list", "ana")
    assert (listed.file, listed.warnings) == (str(path), backend.administration.warnings())
    assert backend.administration.warnings() == backend.changes.warnings()
    assert backend.inventory.projects()[0].quota == 2500

    path.write_text(GOOD.replace("quota: 2.5", "quota: 3.5"))
    await wait_for(lambda: backend.inventory.projects()[0].quota == 3500)
    await wait_for(lambda: backend.changes.warnings() == ())
    path.unlink()
    await wait_for(backend.changes.warnings)
    assert backend.inventory.projects()[0].quota == 3500


async def test_a_session_that_a_quota_file_excepts_may_come_and_go(make, tmp_path):
    path = tmp_path / "quota.yaml"
    who = "{who: session:exp-1, until: 2099-01-01T00:00Z, reason: A demo.}"
    path.write_text(f"{GOOD}policy:\n  exemptions:\n    - {who}\n")
    backend = await make(quota_file=str(path))
    said = "session:exp-1 is not exempt: Session 'exp-1' not found."
    assert said in backend.changes.warnings()[0]
    session = await launch(backend, name="exp-1")
    await wait_for(lambda: backend.policing.policy().exemptions[0].who == f"session:{session.id}")
    await wait_for(lambda: backend.changes.warnings() == ())
    exempt = (await backend.policing.ruling(session.id)).exempt
    assert exempt is not None
    assert exempt.reason == "A demo."
    await until(backend, session.id, "running")
    await backend.sessions.stop(session.id)
    await until(backend, session.id, "stopped")
    await backend.sessions.delete(session.id)
    await wait_for(lambda: backend.policing.policy().exemptions[0].who == "session:exp-1")


async def test_a_quota_file_that_is_missing_at_first_is_reported(make, tmp_path):
    backend = await make(quota_file=str(tmp_path / "none.yaml"))
    assert "none.yaml cannot be used" in backend.changes.warnings()[0]
    assert names(backend) == ["team-a", "team-b"]
    with pytest.raises(Conflict):
        await backend.administration.put_project(Project(name="new", quota=1, revision=""), "ana")


async def test_what_changes_nothing_is_not_a_change(make):
    backend = await make()
    able, project = backend.administration, backend.inventory.projects()[0]
    assert await able.put_project(project, "ana") == project
    for part, seen in (
        ("rules", backend.inventory.rules()),
        ("groups", able.groups()),
        ("policy", backend.policing.policy()),
    ):
        assert await able.put(part, seen, "ana") == seen
    assert (await backend.administration.audit(), backend.administration.set_by()) == ((), "config")


async def test_the_audit_log_tells_who_newest_first(make):
    backend = await make()
    seen = backend.inventory.projects()[0]
    for i in range(5):
        seen = await backend.administration.put_project(replace(seen, quota=i), f"user{i}")
    entries = await backend.administration.audit()
    assert [entry.who for entry in entries] == [f"user{i}" for i in (4, 3, 2, 1, 0)]
    assert msgspec.json.decode(entries[0].after, type=Project) == seen
    with pytest.raises(NotFound):
        await backend.administration.delete_project("nobody", "", "ana", drain=False)
