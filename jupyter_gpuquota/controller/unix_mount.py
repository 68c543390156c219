"""The REST interface on the controller's socket, where the kernel identifies the account."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tornado import web
from tornado.http1connection import HTTP1Connection

from ..api import sockets
from ..api.dispatch import Dispatcher
from ..api.handlers import Api, make_handlers
from ..api.sockets import Peer, groups_of, is_own, peer_of
from ..core.access import Caller, Rights
from ..errors import NotAllowed
from ..hosting.unix import API, RETIRE
from ..model.routes.table import ROUTES, Route
from ..ports.access import Access
from .accepting import BoundedServer
from .authentication import AUTHORIZATION, session_caller, token_in, unknown_token
from .log import log_server_error

_BODY_LIMIT = 64 * 1024 * 1024


@dataclass(slots=True)
class Traffic:
    """Tracks requests: how many are `running`, and when (monotonic) the last one ended."""

    running: int = 0
    last: float = field(default_factory=time.monotonic)

    def quiet_for(self) -> float:
        """Return the seconds since the last request; 0 during one."""
        return 0.0 if self.running else time.monotonic() - self.last

    @contextmanager
    def request(self) -> Iterator[None]:
        """Count one request while it is handled."""
        self.running += 1
        try:
            yield
        finally:
            self.running -= 1
            self.last = time.monotonic()


class SocketApi(Api):
    """Handles requests of the controller's own account, and of root."""

    def initialize(  # type: ignore[override]
        self, dispatcher: Dispatcher, access: Access, traffic: Traffic
    ) -> None:
        """Store the arguments that the mount passes to every handler."""
        super().initialize(dispatcher)
        self._access = access
        self._traffic = traffic
        self._caller: Caller | None = None

    async def prepare(self) -> None:
        """Identify the client by its socket, and the session by its token if one was sent."""
        connection = self.request.connection
        if not isinstance(connection, HTTP1Connection):
            raise web.HTTPError(403)
        if connection.stream.closed():
            raise web.Finish  # the client has disconnected already
        peer = peer_of(connection.stream.socket)
        if not is_own(peer):
            raise NotAllowed(
                f"This controller does not serve the account {peer.account}.",
                hint="Each account has its own controller.",
            )
        self._caller = await self._identify(peer)

    def caller(self) -> Caller:
        """Return the account with its groups, or the session whose token was sent."""
        if self._caller is None:
            raise web.HTTPError(403)
        return self._caller

    async def _identify(self, peer: Peer) -> Caller:
        if AUTHORIZATION not in self.request.headers:
            around = session_of(peer.pid)
            return Caller(peer.account, groups_of(peer), known="socket", inside=around)
        session = await session_caller(self._access, token_in(self.request.headers))
        if session is None:
            raise unknown_token()
        return session

    async def answer(self, route: Route, args: dict[str, str]) -> None:
        """Handle one request, and count it meanwhile."""
        with self._traffic.request():
            await super().answer(route, args)


class RetireHandler(SocketApi):
    """Makes the controller exit; its sessions keep running."""

    def initialize(  # type: ignore[override]
        self, dispatcher: Dispatcher, access: Access, traffic: Traffic, retire: Callable[[], None]
    ) -> None:
        """Store the arguments that the mount passes."""
        super().initialize(dispatcher, access, traffic)
        self._retire = retire

    async def post(self) -> None:
        """Respond, then exit. Sessions may not request that."""
        Rights(self.caller()).check_person()
        self.set_header("Content-Type", "application/json")
        await self.finish(b"{}")
        self._retire()


def application(
    dispatcher: Dispatcher, access: Access, traffic: Traffic, retire: Callable[[], None]
) -> web.Application:
    """Return the application of all routes, including internal ones and the one to exit."""
    shared = {"dispatcher": dispatcher, "access": access, "traffic": traffic}
    made = make_handlers(SocketApi, ROUTES, lambda _permission, verb: verb)
    _, nowhere = made[-1]
    return web.Application(
        [
            (RETIRE, RetireHandler, {**shared, "retire": retire}),
            *((API + pattern, handler, shared) for pattern, handler in made),
        ],
        default_handler_class=nowhere,
        default_handler_args=shared,
        log_function=log_server_error,
    )


class SocketServer(BoundedServer):
    """A server on a socket path, which it removes before it stops, so no client finds it then."""

    _path = Path()
    _bound: os.stat_result | None = None

    def bind_to(self, path: Path) -> None:
        """Listen on a path instead of any other. Raises OSError."""
        listener = sockets.bind(path)
        self.drop_sockets()
        self._path, self._bound = path, path.stat()
        self.add_socket(listener)

    def is_found(self) -> bool:
        """Return whether the path still leads here; it may have been removed or replaced."""
        try:
            return self._bound is not None and os.path.samestat(self._path.stat(), self._bound)
        except OSError:
            return False

    def bind_again(self) -> None:
        """Recreate the socket at the path. Raises OSError."""
        self.bind_to(self._path)

    def stop(self) -> None:
        """Remove the path and accept no more clients."""
        if self.is_found():
            self._path.unlink(missing_ok=True)
        super().stop()


def listen(served: web.Application, path: Path) -> SocketServer:
    """Return a server listening on a path. Raises OSError."""
    server = SocketServer(served, max_body_size=_BODY_LIMIT)
    server.bind_to(path)
    return server


_MARK = b"GPUQUOTA_SESSION="


def session_of(pid: int) -> str:
    """Return the id of the session in which a process runs, empty for none.

    The id is in the environment of the process or of an ancestor. This prevents mistakes, not
    attacks: a process of the same account can hide its origin.
    """
    return next((found for each in _ancestry(pid) if (found := _marked(each))), "")


def _ancestry(pid: int) -> Iterator[int]:
    while pid > 1:
        yield pid
        pid = _parent(pid)


def _parent(pid: int) -> int:
    """Return the parent of a process, 0 for one that has ended; see proc(5)."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[1])
    except (OSError, IndexError):
        return 0


def _marked(pid: int) -> str:
    try:
        variables = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return ""  # it has ended, or belongs to another account
    found = (each.removeprefix(_MARK) for each in variables if each.startswith(_MARK))
    return next(found, b"").decode(errors="replace")
