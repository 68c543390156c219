"""What every backend promises, whatever stands behind it.

A backend's test inherits `BackendContract` and gives it the fixture `backend`: a fresh backend
with at least 4 GPUs on one node and the projects `team-a` (quota 4) and `team-b` (quota 2).
Sessions run `sleep`, so that no backend needs a Jupyter image to pass.
"""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from jupyter_gpuquota.core import specs
from jupyter_gpuquota.core.history import Sight, window
from jupyter_gpuquota.errors import (
    InUse,
    InvalidFields,
    NameTaken,
    NotFound,
    Outdated,
    WrongState,
)
from jupyter_gpuquota.model.history import HistoryQuery
from jupyter_gpuquota.model.projects import NodeGroup
from jupyter_gpuquota.model.quota import Project
from jupyter_gpuquota.model.resources import Share
from jupyter_gpuquota.model.sessions import ExecRequest, LogQuery, Session, SessionRequest
from jupyter_gpuquota.ports.backend import Administration, Backend, Exec, History, Logs

LONG = 60.0


async def launch(backend: Backend, name: str = "exp-1", **fields: Any) -> Session:
    """Check a request as the service does, and create the session."""
    request = SessionRequest(
        **{"name": name, "project": "team-a", "command": ("sleep", "600"), **fields}
    )
    place = await backend.inventory.look_up(request)
    facts = specs.Facts(projects=backend.inventory.projects(), nodes=backend.inventory.nodes(), place=place)
    return await backend.sessions.create(specs.check(request, facts), "me")


async def until(
    backend: Backend, session_id: str, wanted: str | Callable[[Session], bool]
) -> Session:
    """Wait for a state of a session, by the backend's own notice of changes."""
    deadline = asyncio.get_running_loop().time() + LONG
    seen: Session | None = None
    while asyncio.get_running_loop().time() < deadline:
        since = (await backend.changes.changed(0, 0)).latest
        seen = next((s for s in backend.sessions.all() if s.id == session_id), None)
        if seen and (wanted(seen) if callable(wanted) else seen.state == wanted):
            return seen
        await backend.changes.changed(since, 1.0)
    pytest.fail(f"never came: {wanted}; last seen {seen}")


class BackendContract:
    """Hold a backend to the port's promises."""

    async def test_a_session_starts_on_its_share(self, backend: Backend) -> None:
        session = await until(backend, (await launch(backend, gpu="0.5")).id, "running")
        assert session.placement is not None
        assert session.placement.milli == 500
        assert session.isolation is not None
        assert session.started is not None
        assert session.owner == "me"
        assert session.path.strip("/").startswith("gpuquota/s/")

    async def test_a_session_without_gpu_holds_none(self, backend: Backend) -> None:
        session = await until(backend, (await launch(backend)).id, "running")
        assert session.placement is not None
        assert session.placement.slices == ()
        assert session.isolation is None

    async def test_over_quota_waits_with_the_reason_and_starts_when_it_can(
        self, backend: Backend
    ) -> None:
        first = await until(backend, (await launch(backend, "first", gpu="4")).id, "running")
        second = await launch(backend, "second", gpu="1")
        waiting = await until(backend, second.id, lambda s: s.reason is not None)
        assert waiting.state == "waiting"
        assert waiting.reason is not None
        assert waiting.reason.code == "OverQuota"
        await backend.sessions.stop(first.id)
        await until(backend, second.id, "running")

    async def test_what_is_borrowed_is_given_back_to_whom_it_belongs_and_restarts(
        self, backend: Backend
    ) -> None:
        borrowers = [
            await until(backend, made.id, "running")
            for i, node in enumerate(backend.inventory.nodes())
            for made in [
                await launch(
                    backend,
                    f"train-{i}",
                    gpu=str(len(node.devices)),
                    project="team-b",
                    kind="train",
                )
            ]
        ]
        taker = await until(backend, (await launch(backend, "by-right", gpu="4")).id, "running")
        held = {s.id: s for s in backend.sessions.all()}
        [victim] = [held[s.id] for s in borrowers if held[s.id].state == "waiting"]
        assert victim.reclaimed is not None
        assert (victim.reclaimed.session, victim.reclaimed.project) == (taker.id, "team-a")
        assert victim.reason is not None
        assert victim.reason.code == "OverQuota"
        assert victim.place_in_line == 1
        await backend.sessions.stop(taker.id)
        again = await until(backend, victim.id, "running")
        assert again.place_in_line == 0

    async def test_a_preemptible_session_may_not_outgrow_what_can_be_borrowed(
        self, backend: Backend
    ) -> None:
        node = max(len(node.devices) for node in backend.inventory.nodes())
        with pytest.raises(InvalidFields):
            await launch(backend, gpu=str(node + 1), kind="train")

    async def test_stop_ends_and_keeps_the_record(self, backend: Backend) -> None:
        session = await until(backend, (await launch(backend)).id, "running")
        assert (await backend.sessions.stop(session.id)).state in ("stopping", "stopped")
        stopped = await until(backend, session.id, "stopped")
        assert stopped.ended is not None
        assert stopped.placement is None
        with pytest.raises(WrongState):
            await backend.sessions.stop(session.id)

    async def test_suspend_and_resume_keep_name_and_share(self, backend: Backend) -> None:
        session = await until(backend, (await launch(backend, gpu="0.5")).id, "running")
        await backend.sessions.suspend(session.id)
        suspended = await until(backend, session.id, "suspended")
        assert suspended.placement is None
        await backend.sessions.resume(session.id)
        again = await until(backend, session.id, "running")
        assert (again.spec, again.id) == (session.spec, session.id)

    async def test_a_session_starts_again_with_another_share(self, backend: Backend) -> None:
        session = await until(backend, (await launch(backend, gpu="1")).id, "running")
        await backend.sessions.resize(session.id, Share(milli=250))
        small = await until(
            backend, session.id, lambda s: s.state == "running" and s.spec.share.milli == 250
        )
        assert small.placement is not None
        assert (small.placement.milli, small.spec.name) == (250, session.spec.name)
        with pytest.raises(WrongState):
            await backend.sessions.resize(session.id, Share(milli=250))
        await backend.sessions.stop(session.id)
        await until(backend, session.id, "stopped")
        await backend.sessions.resize(session.id, Share(milli=500))
        await until(backend, session.id, "running")

    async def test_a_waiting_session_stops_at_once(self, backend: Backend) -> None:
        await launch(backend, "first", gpu="4")
        second = await launch(backend, "second", gpu="4")
        assert (await backend.sessions.stop(second.id)).state == "stopped"

    async def test_delete_forgets_only_what_has_ended(self, backend: Backend) -> None:
        session = await until(backend, (await launch(backend)).id, "running")
        with pytest.raises(WrongState):
            await backend.sessions.delete(session.id)
        await backend.sessions.stop(session.id)
        await until(backend, session.id, "stopped")
        await backend.sessions.delete(session.id)
        assert session.id not in {s.id for s in backend.sessions.all()}
        with pytest.raises(NotFound):
            await backend.sessions.delete(session.id)

    async def test_of_two_launches_of_one_name_exactly_one_wins(self, backend: Backend) -> None:
        results = await asyncio.gather(
            *(launch(backend, "same") for _ in range(4)), return_exceptions=True
        )
        assert sum(isinstance(result, Session) for result in results) == 1
        assert sum(isinstance(result, NameTaken) for result in results) == 3
        assert len(backend.sessions.all()) == 1

    async def test_an_unknown_id_is_not_found(self, backend: Backend) -> None:
        for act in (backend.stop, backend.suspend, backend.resume, backend.delete):
            with pytest.raises(NotFound):
                await act("../../etc/passwd")

    async def test_changes_are_noticed_and_counted(self, backend: Backend) -> None:
        before = await backend.changes.changed(-1, 0)
        session = await launch(backend)
        after = await backend.changes.changed(before.latest, LONG)
        assert after.latest > before.latest
        assert after.nouns["sessions"] > before.nouns["sessions"]
        assert after.instance == before.instance == backend.changes.instance
        quiet = await until(backend, session.id, "running")
        assert quiet.revision > 0

    async def test_a_wait_for_nothing_ends(self, backend: Backend) -> None:
        latest = (await backend.changes.changed(-1, 0)).latest
        assert (await backend.changes.changed(latest + 10**6, 0.05)).latest >= latest

    async def test_sessions_are_listed_oldest_first(self, backend: Backend) -> None:
        for name in ("c", "a", "b"):
            await launch(backend, name)
        assert [s.spec.name for s in backend.sessions.all()] == ["c", "a", "b"]

    async def test_what_cannot_be_used_is_refused_before_it_is_made(self, backend: Backend) -> None:
        with pytest.raises(InvalidFields) as caught:
            await launch(backend, environment="/no/such/prefix", folder="/missing", gpu="4.5")
        assert {f.field for f in caught.value.fields} == {"environment", "folder", "gpu"}
        assert backend.sessions.all() == ()

    async def test_a_log_is_read_where_the_backend_keeps_one(self, backend: Backend) -> None:
        if isinstance(backend, Logs):
            session = await until(backend, (await launch(backend)).id, "running")
            chunk = await backend.logs.read(session.id, LogQuery())
            assert (chunk.offset, chunk.ended) == (0, False)
            with pytest.raises(NotFound):
                await backend.logs.read("nobody", LogQuery())

    async def test_programs_run_only_inside_running_sessions(self, backend: Backend) -> None:
        if isinstance(backend, Exec):
            session = await until(backend, (await launch(backend)).id, "running")
            request = ExecRequest(command=("echo", "hello"))
            result = await backend.exec.execute(session.id, request)
            assert result.exit_code == 0
            assert "hello" in result.output
            await backend.sessions.stop(session.id)
            await until(backend, session.id, "stopped")
            with pytest.raises(WrongState):
                await backend.exec.execute(session.id, request)

    async def test_use_is_remembered_where_the_backend_keeps_a_history(
        self, backend: Backend
    ) -> None:
        if isinstance(backend, History):
            await until(backend, (await launch(backend, gpu="0.5")).id, "running")
            asked = window(HistoryQuery(project="team-a"), datetime.now(UTC))
            told = await backend.history.read(asked)
            assert all(point.project == "team-a" for point in told.points)
            assert all(p.by_right + p.borrowed == p.allocated for p in told.points)
            assert told.step >= 30
            query = HistoryQuery(project="team-a", by="user")
            asked = window(query, datetime.now(UTC))
            by_user = await backend.history.read(asked)
            assert {point.user for point in by_user.points} == {"me"}
            assert {point.user for point in told.points} == {""}
            stranger = dataclasses.replace(asked, sight=Sight("eve", frozenset()))
            hidden = await backend.history.read(stranger)
            assert hidden.points == ()
            assert {hours.user for hours in hidden.users} <= {""}

    async def test_a_project_is_made_changed_and_deleted(self, backend: Backend) -> None:
        if isinstance(backend, Administration):
            before = backend.changes.revision("quota")
            made = await backend.administration.put_project(Project(name="new", quota=1500, revision=0), "ana")
            assert backend.changes.revision("quota") > before
            changed = await backend.administration.put_project(replace(made, quota=2000), "ben")
            assert [p for p in backend.inventory.projects() if p.name == "new"] == [changed]
            assert changed.revision > made.revision
            assert await backend.administration.delete_project("new", 0, "ana", drain=False) is None
            assert [p.name for p in backend.inventory.projects()] == ["team-a", "team-b"]
            audit = await backend.administration.audit()
            assert [entry.who for entry in audit] == ["ana", "ben", "ana"]
            assert msgspec.json.decode(audit[1].before, type=Project) == made
            assert msgspec.json.decode(audit[1].after, type=Project) == changed
            with pytest.raises(NotFound):
                await backend.administration.delete_project("new", 0, "ana", drain=False)

    async def test_of_two_admins_the_second_is_told(self, backend: Backend) -> None:
        if isinstance(backend, Administration):
            seen = backend.inventory.projects()[0]
            first = await backend.administration.put_project(replace(seen, quota=3000), "ana")
            for late in (
                seen,
                replace(seen, revision=0),
                Project(name="gone", quota=1, revision=9),
            ):
                with pytest.raises(Outdated):
                    await backend.administration.put_project(replace(late, quota=1000), "ben")
            with pytest.raises(Outdated):
                await backend.administration.delete_project(seen.name, seen.revision, "ben", drain=False)
            assert backend.inventory.projects()[0] == first
            rules = backend.inventory.rules()
            await backend.administration.put_rules(replace(rules, grace=7), "ana")
            with pytest.raises(Outdated):
                await backend.administration.put_rules(replace(rules, grace=8), "ben")
            assert backend.inventory.rules().grace == 7
            groups = replace(backend.administration.groups(), items=(NodeGroup(name="big"),))
            await backend.administration.put_groups(groups, "ana")
            with pytest.raises(Outdated):
                await backend.administration.put_groups(groups, "ben")

    async def test_groups_label_nodes_that_are_also_told_as_found(self, backend: Backend) -> None:
        if isinstance(backend, Administration):
            found = backend.administration.found_nodes()
            group = NodeGroup(name="own", nodes=(found[0].name,), separate=True)
            await backend.administration.put_groups(replace(backend.administration.groups(), items=(group,)), "ana")
            assert backend.administration.found_nodes() == found
            first = next(node for node in backend.inventory.nodes() if node.name == found[0].name)
            assert (first.labels, first.separate) == ((*found[0].labels, "own"), True)

    async def test_a_raised_quota_lets_start_what_waits(self, backend: Backend) -> None:
        if isinstance(backend, Administration):
            seen = backend.inventory.projects()[0]
            lowered = await backend.administration.put_project(replace(seen, quota=1000), "ana")
            first = await until(backend, (await launch(backend, "a", gpu="1")).id, "running")
            second = await launch(backend, "b", gpu="1")
            waiting = await until(backend, second.id, lambda s: s.reason is not None)
            assert (waiting.state, waiting.reason.code) == ("waiting", "OverQuota")
            await backend.administration.put_project(replace(lowered, quota=2000), "ana")
            await until(backend, second.id, "running")
            assert next(s for s in backend.sessions.all() if s.id == first.id).state == "running"

    async def test_a_project_with_sessions_goes_only_when_they_have(self, backend: Backend) -> None:
        if isinstance(backend, Administration):
            running = await until(backend, (await launch(backend, "a", gpu="4")).id, "running")
            waits = await launch(backend, "b", gpu="1")
            with pytest.raises(InUse, match="a, b"):
                await backend.administration.delete_project("team-a", 0, "ana", drain=False)
            left = await backend.administration.delete_project("team-a", 0, "ana", drain=True)
            assert left is not None
            assert left.draining
            await until(backend, waits.id, lambda s: s.reason and s.reason.code == "QueueMissing")
            await backend.sessions.stop(running.id)
            await until(backend, running.id, "stopped")
            latest, gone = 0, False
            async with asyncio.timeout(LONG):
                while not gone:
                    latest = (await backend.changes.changed(latest, 1.0)).latest
                    gone = [p.name for p in backend.inventory.projects()] == ["team-b"]
            assert next(s for s in backend.sessions.all() if s.id == waits.id).state == "waiting"
