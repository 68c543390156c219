"""What a backend promises of logs, of programs inside sessions, and of its ingress."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from jupyter_gpuquota.errors import InvalidFields, NotAllowed, NotFound, WrongState
from jupyter_gpuquota.model.idleness import PresenceRequest
from jupyter_gpuquota.model.sessions import ExecRequest, LogQuery
from jupyter_gpuquota.ports.backend import Backend
from tests.contract.helpers import able, run, until

PORT = 8123


class LogsContract:
    """Hold a backend to the port `Logs`."""

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
    """Hold a backend to the port `Exec`."""

    async def test_programs_run_only_inside_running_sessions(self, backend: Backend) -> None:
        exec_ = able(backend, "exec")
        session = await run(backend)
        request = ExecRequest(command=("echo", "hello"))
        result = await exec_.execute(session.id, request)
        assert result.exit_code == 0
        assert "hello" in result.output
        assert (await exec_.context(session.id)).env["GPUQUOTA_SESSION"] == session.id
        await backend.sessions.stop(session.id)
        await until(backend, session.id, "stopped")
        for ask in (exec_.execute(session.id, request), exec_.context(session.id)):
            with pytest.raises(WrongState):
                await ask
        for ask in (exec_.execute("nobody", request), exec_.context("nobody")):
            with pytest.raises(NotFound):
                await ask

    async def test_a_program_that_cannot_be_started_is_refused(self, backend: Backend) -> None:
        exec_ = able(backend, "exec")
        session = await run(backend)
        for bad in (ExecRequest(command=()), ExecRequest(command=("true",), timeout=0)):
            with pytest.raises(InvalidFields):
                await exec_.execute(session.id, bad)


class IngressContract:
    """Hold a backend to the port `Ingress`."""

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
