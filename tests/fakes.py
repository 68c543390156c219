"""The memory backend for tests: synchronous, with more capabilities."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import fields

from jupyter_gpuquota.api.dispatch import ApiRequest, ApiResponse
from jupyter_gpuquota.api.inprocess import InProcess
from jupyter_gpuquota.control.board import Board
from jupyter_gpuquota.control.config import GpuQuota
from jupyter_gpuquota.control.inventory import Inventory
from jupyter_gpuquota.core import lifecycle
from jupyter_gpuquota.core.access import Caller
from jupyter_gpuquota.core.idle.replay import Stretch
from jupyter_gpuquota.core.usage.buckets import Bucket
from jupyter_gpuquota.errors import NotAllowed, NotFound, WrongState
from jupyter_gpuquota.memory.backend import open_memory
from jupyter_gpuquota.memory.config import MemoryConfig
from jupyter_gpuquota.model.environments import Environment, LaunchPlace
from jupyter_gpuquota.model.idleness import PresenceRequest
from jupyter_gpuquota.model.programs import (
    ExecContext,
    ExecEvent,
    ExecRequest,
    ExecResult,
    TerminalEvent,
    TerminalInput,
    TerminalRequest,
)
from jupyter_gpuquota.model.resources import Holding, Node
from jupyter_gpuquota.model.routes.table import route
from jupyter_gpuquota.model.sessions import (
    Endpoint,
    LogChunk,
    LogQuery,
    Session,
    SessionRequest,
)
from jupyter_gpuquota.ports.backend import Backend
from jupyter_gpuquota.services.usecases import perform

from .builders import NOW, make_node

ENVIRONMENT = Environment(
    id="base", label="base", prefix="/env", python="/env/bin/python", default=True
)
NODES = (make_node("dgx1-1"), make_node("dgx1-2"))
TEAMS = ({"name": "team-a", "quota": "4"}, {"name": "team-b", "quota": "2"})


def make_backend(
    projects: Iterable[dict[str, Any]] = TEAMS,
    nodes: tuple[Node, ...] = NODES,
    admins: Sequence[str] = ("me",),
    holdings: tuple[Holding, ...] = (),
    **settings: Any,
) -> Backend:
    """Return a backend whose sessions run, and whose changes happen, before anyone asks again."""
    thread = AtOnce()
    control = GpuQuota(projects=list(projects), admins=list(admins), **settings)
    found = Inventory(nodes, holdings=holdings)
    backend = open_memory(control, MemoryConfig(), Path("/nowhere"), found=found, thread=thread)
    worker = backend.resident.worker
    worker.open()
    thread.after = worker.step
    board = worker.board
    # It is not started: what there is, is in memory.
    backend.datasets._registry.is_loaded = True
    backend.snapshots._registry.loaded.set()
    return replace(
        backend,
        name="fake",
        inventory=FakeInventory(backend.inventory),
        logs=FakeLogs(board),
        exec=FakeExec(board),
        terminals=FakeTerminals(board),
        ingress=FakeIngress(board),
    )


class AtOnce(Executor):
    """An executor that runs work in the calling thread and publishes its effects immediately."""

    after: Callable[[], object] | None = None

    def submit(self, work: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(work(*args, **kwargs))
        except Exception as error:  # noqa: BLE001 (it is whoever waits that is told)
            future.set_exception(error)
        if self.after:
            self.after()
        return future


class FakeInventory:
    """The inventory of the memory backend, with an environment and folders that tests know."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner
        self.local_files = True

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    async def environments(self) -> tuple[Environment, ...]:
        return (ENVIRONMENT,)

    async def look_up(self, request: SessionRequest) -> LaunchPlace:
        known = request.environment in ("", ENVIRONMENT.id, ENVIRONMENT.prefix)
        missing = f"Folder {request.folder} does not exist." if "missing" in request.folder else ""
        return LaunchPlace(
            environment=ENVIRONMENT if known else None,
            folder=request.folder or "/work",
            folder_problem=missing,
        )


@dataclass
class FakeLogs:
    """Logs that a test fills in."""

    board: Board
    texts: dict[str, str] = field(default_factory=dict)

    async def read(self, session_id: str, query: LogQuery) -> LogChunk:
        session = self.board.find(session_id)
        text = self.texts.get(session_id, "")
        begin = len("".join(text.splitlines(keepends=True)[: -query.tail])) if query.tail else 0
        begin = begin or min(int(query.cursor or 0), len(text))
        part = text[begin : begin + query.limit]
        ended = session.state not in ("running", "starting", "stopping")
        return LogChunk(text=part, cursor=str(begin + len(part)), ended=ended)


@dataclass
class FakeExec:
    """Programs that print their own words."""

    board: Board

    async def execute(self, session_id: str, request: ExecRequest) -> ExecResult:
        running(self.board.find(session_id))
        return ExecResult(exit_code=0, output=" ".join(request.command) + "\n")

    async def stream(self, session_id: str, request: ExecRequest) -> AsyncGenerator[ExecEvent]:
        result = await self.execute(session_id, request)
        yield ExecEvent(output=result.output)
        yield ExecEvent(result=msgspec.structs.replace(result, output=""))

    async def context(self, session_id: str) -> ExecContext:
        session = running(self.board.find(session_id))
        return ExecContext(env={"GPUQUOTA_SESSION": session_id}, folder=session.spec.folder)


@dataclass
class FakeTerminals:
    """Terminals that show what is typed; `exit` ends them."""

    board: Board
    typed: dict[str, asyncio.Queue[TerminalInput]] = field(default_factory=dict)

    async def open(
        self, session_id: str, request: TerminalRequest
    ) -> AsyncGenerator[TerminalEvent]:
        running(self.board.find(session_id))
        name = f"t{len(self.typed) + 1}"
        typed = self.typed[name] = asyncio.Queue()
        yield TerminalEvent(session=session_id, terminal=name)
        yield TerminalEvent(output=f"{request.columns}x{request.rows}\r\n")
        while (got := await typed.get()).text.strip() != "exit":
            size = f"{got.columns}x{got.rows}\r\n" if got.columns else ""
            yield TerminalEvent(output=size + got.text)
        yield TerminalEvent(result=ExecResult(exit_code=7, output=""))

    async def type(self, session_id: str, terminal: str, typed: TerminalInput) -> None:
        running(self.board.find(session_id))
        if terminal not in self.typed:
            raise NotFound("This terminal has ended.", hint="Open another one.")
        self.typed[terminal].put_nowait(typed)


class ShortTerminals:
    """Terminals that end at once."""

    async def open(
        self, session_id: str, request: TerminalRequest
    ) -> AsyncGenerator[TerminalEvent]:
        yield TerminalEvent(session=session_id, terminal="t1")
        yield TerminalEvent(result=ExecResult(exit_code=0, output=""))

    async def type(self, session_id: str, terminal: str, typed: TerminalInput) -> None:
        pass


@dataclass
class FakeIngress:
    """Endpoints that a test fills in, and who was seen."""

    board: Board
    endpoints: dict[tuple[str, int], Endpoint] = field(default_factory=dict)
    seen: list[tuple[str, PresenceRequest]] = field(default_factory=list)

    async def endpoint(self, session_id: str, port: int) -> Endpoint:
        session = running(self.board.find(session_id))
        if port and port not in session.spec.ports:
            raise NotAllowed(f"{session.spec.name} does not expose port {port}.")
        if (session_id, port) not in self.endpoints:
            raise WrongState(f"No program of {session.spec.name} listens on port {port}.")
        return self.endpoints[session_id, port]

    async def presence(self, session_id: str, seen: PresenceRequest) -> None:
        self.board.find(session_id)
        self.seen.append((session_id, seen))


class Instead:
    """An ability of a backend, but for what a test has it do instead."""

    def __init__(self, inner: Any, **instead: Any) -> None:
        self._inner = inner
        self.__dict__.update(instead)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


def running(session: Session) -> Session:
    if session.state != "running":
        raise WrongState(f"{session.spec.name} is {session.state}, not running.")
    return session


def finish(backend: Backend, session_id: str, state: str = "done") -> Session:
    """End a session as if by itself."""
    board = backend.resident.board
    board.show(lifecycle.move(board.find(session_id), state, NOW))
    backend.resident.worker.step()
    return board.find(session_id)


def remember(backend: Backend, buckets: Sequence[Bucket]) -> None:
    """Put samples of the past into the history."""
    backend.resident.recorder._history._add(buckets, buckets[0].at)


def record(backend: Backend, stretches: Iterable[Stretch]) -> None:
    """Put what sessions did into the log of activity."""
    log = backend.resident.recorder._log
    log._closed += stretches
    log._write()


def me(name: str = "me") -> Caller:
    """Return a caller."""
    return Caller(name, known="token")


class As:
    """A dispatcher that answers as if one caller asked, as a gateway's controller does."""

    def __init__(self, backend: Backend, caller: Caller | None = None) -> None:
        self.inner = InProcess(backend)
        self.caller = caller or me()

    async def dispatch(self, asked: ApiRequest) -> ApiResponse:
        return await self.inner.dispatch(replace(asked, caller=self.caller))


async def ask(
    backend: Backend,
    name: str,
    caller: str | Caller = "me",
    *,
    args: dict[str, str] | None = None,
    query: Any = None,
    body: Any = None,
) -> Any:
    """Call a route's use case as a caller."""
    who = caller if isinstance(caller, Caller) else me(caller)
    rights, row = await backend.access.rights(who), route(name)
    if body is None and row.request and not any(f.required for f in fields(row.request)):
        body = row.request()  # the server reads an empty body so
    return await perform(backend, row, rights, args or {}, query, body)
