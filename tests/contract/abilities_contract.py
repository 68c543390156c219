"""What a backend promises of logs, of programs inside sessions, and of its ingress."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from jupyter_gpuquota.errors import InvalidFields, NotAllowed, NotFound, Unsupported, WrongState
from jupyter_gpuquota.model.idleness import PresenceRequest
from jupyter_gpuquota.model.programs import ExecRequest
from jupyter_gpuquota.model.sessions import LogQuery
from jupyter_gpuquota.ports.backend import Backend
from tests.contract.helpers import able, run, until

PORT = 8123


class LogsContract:
    """The contract of the port `Logs`."""

    async def test_a_log_begins_empty_and_goes_on(self, backend: Backend) -> None:
        logs = able(backend, "logs")
        session = await run(backend)
        chunk = await logs.read(session.id, LogQuery())
        assert (chunk.missed, chunk.ended) == (False, False)
        again = await logs.read(session.id, LogQuery(cursor=chunk.cursor))
        assert (again.text, again.missed) == ("", False)
        with pytest.raises(InvalidFields):
            await logs.read(session.id, LogQuery(cursor="no cursor of ours"))
        with pytest.raises(NotFound):
            await logs.read("nobody", LogQuery())

    async def test_a_log_ends_with_its_session(self, backend: Backend) -> None:
        logs = able(backend, "logs")
        session = await run(backend)
        await backend.sessions.stop(session.id)
        await until(backend, session.id, "stopped")
        assert (await logs.read(session.id, LogQuery())).ended


class ExecContract:
    """The contract of the port `Exec`."""

    async def test_programs_run_only_inside_running_sessions(self, backend: Backend) -> None:
        exec_ = able(backend, "exec")
        session = await run(backend)
        request = ExecRequest(command=("echo", "hello"))
        result = await exec_.execute(session.id, request)
        assert result.exit_code == 0
        assert "hello" in result.output
        events = [event async for event in exec_.stream(session.id, request)]
        assert "".join(event.output for event in events) == result.output
        assert [event.result.exit_code for event in events if event.result] == [0]
        assert events[-1].result
        if backend.differences.on_this_machine:
            assert (await exec_.context(session.id)).env["GPUQUOTA_SESSION"] == session.id
        else:
            with pytest.raises(Unsupported):
                await exec_.context(session.id)
        await backend.sessions.stop(session.id)
        await until(backend, session.id, "stopped")
        for session_id, error in ((session.id, WrongState), ("nobody", NotFound)):
            for ask in (
                exec_.execute(session_id, request),
                anext(exec_.stream(session_id, request)),
                exec_.context(session_id),
            ):
                with pytest.raises(error):
                    await ask

    async def test_a_program_that_cannot_be_started_is_refused(self, backend: Backend) -> None:
        exec_ = able(backend, "exec")
        session = await run(backend)
        for bad in (ExecRequest(command=()), ExecRequest(command=("true",), timeout=0)):
            with pytest.raises(InvalidFields):
                await exec_.execute(session.id, bad)
            with pytest.raises(InvalidFields):
                await anext(exec_.stream(session.id, bad))


class IngressContract:
    """The contract of the port `Ingress`."""

    async def test_only_ports_that_are_exposed_are_reached(self, backend: Backend) -> None:
        ingress = able(backend, "ingress")
        session = await run(backend, ports=(PORT,))
        with pytest.raises(NotAllowed):
            await ingress.endpoint(session.id, PORT + 1)
        with pytest.raises(NotFound):
            await ingress.endpoint("nobody", 0)
        await backend.sessions.stop(session.id)
        await until(backend, session.id, "stopped")
        with pytest.raises(WrongState):
            await ingress.endpoint(session.id, PORT)

    async def test_presence_is_heard_of_sessions_that_there_are(self, backend: Backend) -> None:
        ingress = able(backend, "ingress")
        session = await run(backend)
        await ingress.presence(session.id, PresenceRequest(at=datetime.now(UTC)))
        with pytest.raises(NotFound):
            await ingress.presence("nobody", PresenceRequest(at=datetime.now(UTC)))
