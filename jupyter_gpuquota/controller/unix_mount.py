"""Mount the REST interface on the controller's socket, where the kernel names the account."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tornado import web
from tornado.http1connection import HTTP1Connection
from tornado.httpserver import HTTPServer

from ..api import sockets
from ..api.dispatch import Dispatcher
from ..api.handlers import Api, make_handlers
from ..api.sockets import Account, groups_of, is_own, peer_account
from ..core.access import Caller, Rights
from ..errors import NotAllowed
from ..hosting.unix import API, RETIRE
from ..model.routes import ROUTES, Route
from ..ports.access import Access
from .bearer import AUTHORIZATION, session_caller, token_in, unknown_token
from .faults import log_fault

_BODY_LIMIT = 64 * 1024 * 1024


@dataclass(slots=True)
class Traffic:
    """Know whether anyone asks: `running` requests now, and when (monotonic) the last ended."""

    running: int = 0
    last: float = field(default_factory=time.monotonic)

    def quiet_for(self) -> float:
        """Return for how many seconds nobody has asked; 0 while someone does."""
        return 0.0 if self.running else time.monotonic() - self.last

    @contextmanager
    def request(self) -> Iterator[None]:
        """Count one request for as long as it is answered."""
        self.running += 1
        try:
            yield
        finally:
            self.running -= 1
            self.last = time.monotonic()


class SocketApi(Api):
    """Answer the controller's own account, and root."""

    def initialize(  # type: ignore[override]
        self, dispatcher: Dispatcher, access: Access, traffic: Traffic
    ) -> None:
        """Take what the mount passes to every handler."""
        super().initialize(dispatcher)
        self._access = access
        self._traffic = traffic
        self._account: Account | None = None

    def prepare(self) -> None:
        """Ask the kernel who has connected."""
        connection = self.request.connection
        if not isinstance(connection, HTTP1Connection):
            raise web.HTTPError(403)
        account = peer_account(connection.stream.socket)
        if not is_own(account):
            raise NotAllowed(
                f"This controller serves another account than {account.name}.",
                hint="Each account has a controller of its own.",
            )
        self._account = account

    def caller(self) -> Caller:
        """Return the account, with its groups; the session instead whose token was sent."""
        if self._account is None:
            raise web.HTTPError(403)
        if AUTHORIZATION not in self.request.headers:
            return Caller(self._account.name, groups_of(self._account), known="socket")
        session = session_caller(self._access, token_in(self.request.headers))
        if session is None:
            raise unknown_token()
        return session

    async def answer(self, route: Route, args: dict[str, str]) -> None:
        """Answer one request, and count it as long."""
        with self._traffic.request():
            await super().answer(route, args)


class RetireHandler(SocketApi):
    """Make the controller leave; its sessions run on."""

    def initialize(  # type: ignore[override]
        self, dispatcher: Dispatcher, access: Access, traffic: Traffic, retire: Callable[[], None]
    ) -> None:
        """Take what the mount passes."""
        super().initialize(dispatcher, access, traffic)
        self._retire = retire

    async def post(self) -> None:
        """Answer, then leave. Sessions may not ask for that."""
        Rights(self.caller()).check_person()
        self.set_header("Content-Type", "application/json")
        await self.finish(b"{}")
        self._retire()


def application(
    dispatcher: Dispatcher, access: Access, traffic: Traffic, retire: Callable[[], None]
) -> web.Application:
    """Return what the controller serves: all routes, the internal ones included, and its end."""
    shared = {"dispatcher": dispatcher, "access": access, "traffic": traffic}
    made = make_handlers(SocketApi, ROUTES, lambda _permission, verb: verb)
    return web.Application(
        [
            (RETIRE, RetireHandler, {**shared, "retire": retire}),
            *((API + pattern, handler, shared) for pattern, handler in made),
        ],
        log_function=log_fault,
    )


class SocketServer(HTTPServer):
    """A server on a path, which goes before the server does: nobody finds one that is leaving."""

    path = Path()

    def stop(self) -> None:
        """Take the path away, and accept nobody else."""
        self.path.unlink(missing_ok=True)
        super().stop()


def listen(served: web.Application, path: Path) -> SocketServer:
    """Return a server that listens on a path. Raises OSError."""
    server = SocketServer(served, max_body_size=_BODY_LIMIT)
    server.path = path
    server.add_socket(sockets.bind(path))
    return server
