"""What every backend promises of sessions."""

from __future__ import annotations

import asyncio

import pytest

from jupyter_gpuquota.core.end_requests import requested
from jupyter_gpuquota.errors import InvalidFields, NameTaken, NotFound, WrongState
from jupyter_gpuquota.model.ending import PageReport
from jupyter_gpuquota.model.resources import Share
from jupyter_gpuquota.model.sessions import Session
from jupyter_gpuquota.ports.backend import Backend
from tests.contract.helpers import launch, run, until
from tests.waiting import wait_for

GIVEN = "sgivenid0001"


class SessionsContract:
    """The contract of the port `Sessions`."""

    async def test_a_session_starts_on_its_share(self, backend: Backend) -> None:
        session = await run(backend, gpu="0.5")
        assert session.placement is not None
        assert session.placement.milli == 500
        assert session.isolation is not None
        assert session.started is not None
        assert session.owner == "me"
        assert session.path.strip("/").startswith("gpuquota/s/")

    async def test_a_session_without_gpu_holds_none(self, backend: Backend) -> None:
        session = await run(backend)
        assert session.placement is not None
        assert session.placement.slices == ()
        assert session.isolation is None

    async def test_over_quota_waits_with_the_reason_and_starts_when_it_can(
        self, backend: Backend
    ) -> None:
        first = await run(backend, "first", gpu="4")
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
        if not backend.differences.lends:
            pytest.skip("nothing is borrowed there")
        first, *more = backend.at("team-a").inventory.nodes()
        model = first.devices[0].model
        nodes = [first, *(n for n in more if n.devices and n.devices[0].model == model)]
        borrowers = [
            await run(
                backend,
                f"train-{i}",
                gpu=str(sum(d.count for d in n.devices)),
                project="team-b",
                kind="train",
            )
            for i, n in enumerate(nodes)
        ]
        taker = await run(backend, "guaranteed", gpu="4")
        held = {s.id: s for s in backend.sessions.all()}
        [gone] = [s.id for s in borrowers if held[s.id].state != "running"]
        knows = backend.differences.knows_position

        def waits(session: Session) -> bool:
            known = not knows or session.queue_position > 0  # engines place it a moment later
            return session.state == "waiting" and session.reason is not None and known

        victim = await until(backend, gone, waits)
        assert victim.reclaimed is not None
        assert victim.reclaimed.project == "team-a"
        if backend.differences.names_reclaimer:
            assert victim.reclaimed.session == taker.id
        assert victim.reason is not None
        assert victim.reason.code == "OverQuota"
        assert victim.queue_position == int(knows)
        await backend.sessions.stop(taker.id)
        again = await until(backend, victim.id, "running")
        assert again.queue_position == 0

    async def test_pages_report_and_no_command_waits_for_them(self, backend: Backend) -> None:
        session = await run(backend)
        await backend.sessions.put_page(session.id, "p1", PageReport(state="open"))
        with pytest.raises(NotFound):
            await backend.sessions.put_page("nobody", "p1", PageReport(state="open"))
        await backend.sessions.stop(session.id)
        assert (await until(backend, session.id, "stopped")).ending is None

    async def test_stop_ends_and_keeps_the_record(self, backend: Backend) -> None:
        session = await run(backend)
        assert (await backend.sessions.stop(session.id)).state in ("stopping", "stopped")
        stopped = await until(backend, session.id, "stopped")
        assert stopped.ended is not None
        assert stopped.placement is None
        with pytest.raises(WrongState):
            await backend.sessions.stop(session.id)

    async def test_an_ended_session_keeps_who_ended_it_and_why(self, backend: Backend) -> None:
        session = await run(backend)
        why = requested("suspend", "root-admin", "Node dgx1-1 is needed.")
        await backend.sessions.suspend(session.id, why)
        suspended = await until(backend, session.id, "suspended")
        assert suspended.reason is not None
        assert suspended.reason.args == {"who": "root-admin", "why": "Node dgx1-1 is needed."}
        said = "Suspended by root-admin: Node dgx1-1 is needed."
        assert suspended.reason.message.startswith(said)
        await backend.sessions.stop(session.id)
        stopped = await until(backend, session.id, "stopped")
        assert stopped.reason == requested("stop")

    async def test_suspend_and_resume_keep_name_and_share(self, backend: Backend) -> None:
        session = await run(backend, gpu="0.5")
        await backend.sessions.suspend(session.id)
        suspended = await until(backend, session.id, "suspended")
        assert suspended.placement is None
        await backend.sessions.resume(session.id)
        again = await until(backend, session.id, "running")
        assert (again.spec, again.id) == (session.spec, session.id)
        assert again.run > session.run

    async def test_a_session_starts_again_with_another_share(self, backend: Backend) -> None:
        session = await run(backend, gpu="1")
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

    async def test_a_waiting_session_stops(self, backend: Backend) -> None:
        await launch(backend, "first", gpu="4")
        second = await launch(backend, "second", gpu="4")
        stopped = await backend.sessions.stop(second.id)
        if backend.differences.stops_at_once:
            assert stopped.state == "stopped"
        await until(backend, second.id, "stopped")

    async def test_delete_forgets_only_what_has_ended(self, backend: Backend) -> None:
        session = await run(backend)
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

    async def test_a_session_has_the_id_that_it_is_given_and_is_made_once(
        self, backend: Backend
    ) -> None:
        first = await launch(backend, session_id=GIVEN)
        again = await backend.sessions.create(first.spec, "me", GIVEN)
        assert (first.id, again.id, again.created) == (GIVEN, GIVEN, first.created)
        assert [session.id for session in backend.sessions.all()] == [GIVEN]

    async def test_only_what_has_never_started_is_withdrawn(self, backend: Backend) -> None:
        first = await run(backend, "first", gpu="4")
        assert not await backend.sessions.withdraw(first.id)
        second = await launch(backend, "second", gpu="4", command=())
        await until(backend, second.id, lambda s: s.reason is not None)
        # Not while its pod changes: whoever takes it back tries again.
        await wait_for(lambda: backend.sessions.withdraw(second.id))
        with pytest.raises(NotFound):
            await backend.sessions.withdraw(second.id)
        await until(backend, first.id, "running")
        assert [session.id for session in backend.sessions.all()] == [first.id]
        # Nothing of it is left: its name is free, and so is its id.
        again = await backend.sessions.create(second.spec, "me", second.id)
        assert (again.id, again.state) == (second.id, "waiting")
        await backend.sessions.stop(again.id)
        stopped = await until(backend, again.id, "stopped")
        assert not await backend.sessions.withdraw(stopped.id)

    async def test_an_unknown_id_is_not_found(self, backend: Backend) -> None:
        sessions = backend.sessions
        for act in (sessions.stop, sessions.suspend, sessions.resume, sessions.delete):
            with pytest.raises(NotFound):
                await act("../../etc/passwd")

    async def test_sessions_are_listed_oldest_first(self, backend: Backend) -> None:
        for name in ("c", "a", "b"):
            await launch(backend, name)
        listed = [s.spec.name for s in backend.sessions.all()]
        if not backend.differences.orders_within_a_second:
            listed.sort()
        assert listed == (
            ["c", "a", "b"] if backend.differences.orders_within_a_second else ["a", "b", "c"]
        )

    async def test_what_cannot_be_used_is_refused_before_it_is_made(self, backend: Backend) -> None:
        with pytest.raises(InvalidFields) as caught:
            await launch(backend, environment="/no/such/prefix", gpu="4.5")
        assert {f.field for f in caught.value.fields} == {"environment", "gpu"}
        assert backend.sessions.all() == ()
