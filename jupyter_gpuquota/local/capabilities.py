"""The optional capabilities of the local backend: environments, logs, programs, an ingress."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

from ..control.board import Board
from ..control.capabilities import BoardInventory
from ..control.program_output import events, whole
from ..control.resident import INACTIVE
from ..control.signals.presence import Presence
from ..core.hosts import check_exposed
from ..core.programs import check
from ..errors import WrongState
from ..model.environments import Environment, LaunchPlace
from ..model.idleness import PresenceRequest
from ..model.programs import ExecContext, ExecEvent, ExecRequest, ExecResult
from ..model.sessions import Endpoint, LogChunk, LogQuery, Session, SessionRequest
from . import environments
from .config import LocalConfig
from .folders.folders import SessionFolder
from .gpus.devices import Devices
from .processes import processes
from .processes.listeners import Holder, holder, listening_sockets, ports_of
from .runner import LocalRunner
from .sessions import logs, programs
from .sessions.readiness import find_server
from .state.state import State


class LocalInventory(BoardInventory):
    """The projects, devices and environments of this machine."""

    local_files = True

    def __init__(self, board: Board, config: LocalConfig, devices: Devices) -> None:
        super().__init__(board)
        self._config = config
        self._devices = devices

    @property
    def source(self) -> str:
        """Where GPUs come from: `nvml`, `simulated` or `none`."""
        return self._devices.source

    async def environments(self) -> tuple[Environment, ...]:
        """Return the environments that sessions may start from."""
        return await asyncio.to_thread(environments.find, self._config)

    async def look_up(self, request: SessionRequest) -> LaunchPlace:
        """Look up the environment and the folder that a request names."""
        return await asyncio.to_thread(environments.look_up, request, self._config)


class LocalLogs:
    """Reads the log files of sessions."""

    def __init__(self, board: Board, state: State) -> None:
        self._board = board
        self._state = state

    async def read(self, session_id: str, query: LogQuery) -> LogChunk:
        """Return part of a log; empty if nothing was printed. Raises NotFound."""
        session = self._board.find(session_id)
        ended = session.state in INACTIVE  # checked before reading: an ended session adds nothing
        folder = self._state.folder(session)
        return await asyncio.to_thread(logs.chunk, folder.path, query, ended=ended)


class LocalExec:
    """Runs programs in the environment and on the GPUs of sessions."""

    def __init__(self, board: Board, state: State, runner: LocalRunner) -> None:
        self._board = board
        self._state = state
        self._orphans = runner.orphans

    async def execute(self, session_id: str, request: ExecRequest) -> ExecResult:
        """Run a program to its end or timeout. Raises InvalidFields, NotFound, WrongState."""
        check(request)
        context = await self.context(session_id)
        return await whole(programs.run(context, request, self._orphans.put))

    async def stream(self, session_id: str, request: ExecRequest) -> AsyncGenerator[ExecEvent]:
        """Run a program and yield its output. Raises InvalidFields, NotFound, WrongState."""
        check(request)
        context = await self.context(session_id)
        program = programs.run(context, request, self._orphans.put)
        async with aclosing(events(program)) as seen:
            async for event in seen:
                yield event

    async def context(self, session_id: str) -> ExecContext:
        """Return environment variables and folder. Raises NotFound, WrongState."""
        session = self._board.find(session_id)
        folder = self._state.folder(session)
        launch = await asyncio.to_thread(folder.launch, session.run)
        leader = await asyncio.to_thread(folder.leader, session.run)
        return programs.context_of(session, launch, leader)


class LocalIngress:
    """Finds where sessions listen on this machine."""

    def __init__(self, board: Board, state: State, presence: Presence) -> None:
        self._board = board
        self._state = state
        self._presence = presence
        self._endpoints = Endpoints()

    async def endpoint(self, session_id: str, port: int) -> Endpoint:
        """Return where a running session listens. Raises NotFound, WrongState, NotAllowed."""
        session = self._board.find(session_id)
        check_exposed(session, port)
        folder = self._state.folder(session)
        return await asyncio.to_thread(self._endpoints.find, session, folder, port)

    async def listening(self, session: Session) -> tuple[int, ...]:
        """Return the ports at which programs of a session listen now."""
        return await asyncio.to_thread(_ports, session, self._state.folder(session))

    async def presence(self, session_id: str, seen: PresenceRequest) -> None:
        """Record that a user was active in a session. Raises NotFound."""
        await self._presence.record(self._board.find(session_id), seen)


def _ports(session: Session, folder: SessionFolder) -> tuple[int, ...]:
    leader = folder.leader(session.run)
    return ports_of(processes.listeners(session.id, folder, leader))


_MANY = 512


class Endpoints:
    """Finds where sessions listen, and remembers which process listens."""

    def __init__(self) -> None:
        self._holders: dict[tuple[str, int, int], Holder] = {}

    def find(self, session: Session, folder: SessionFolder, port: int) -> Endpoint:
        """Return where a port is served. Raises WrongState while no process listens on it."""
        name = session.spec.name
        if port == 0:
            server = find_server(folder, session.run)
            if server is None:
                raise WrongState(f"The Jupyter Server of {name} no longer responds.")
            return server
        if host := self._host(session, folder, port):
            return Endpoint(host=host, port=port)
        raise WrongState(
            f"No program of {name} listens on port {port} yet.",
            hint=f"Start the program that serves it, on 127.0.0.1 port {port}.",
        )

    def _host(self, session: Session, folder: SessionFolder, port: int) -> str:
        """Return the address at which a process of the session listens now, empty if none does.

        Finding a session's processes is a walk over /proc, so the process that was found last is
        checked first.
        """
        key, found = (session.id, session.run, port), listening_sockets(port)
        known = self._holders.get(key)
        if known and (host := known.host(found)):
            return host
        self._holders.pop(key, None)
        leader = folder.leader(session.run)
        for pid in processes.listeners(session.id, folder, leader) if found else ():
            if held := holder(pid, found):
                if len(self._holders) >= _MANY:
                    self._holders.clear()
                self._holders[key] = held
                return held.host(found)
        return ""
