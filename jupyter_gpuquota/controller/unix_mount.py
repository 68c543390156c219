"""Mount the REST interface on the controller's socket, where the kernel names the account."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import cast

from tornado import web
from tornado.http1connection import HTTP1Connection

from ..api.dispatch import Dispatcher
from ..api.handlers import Api, make_handlers
from ..api.sockets import Account, groups_of, is_own, peer_account
from ..core.access import Caller
from ..errors import NotAllowed
from ..hosting.unix import API, RETIRE
from ..model.routes import ROUTES, Route


@dataclass(slots=True)
class Traffic:
    """Know whether anyone asks: `running` requests now, and when (monotonic) the last ended."""

    running: int = 0
    last: float = field(default_factory=time.monotonic)

    def quiet_for(self) -> float:
        """Tell for how many seconds nobody has asked; 0 while someone does."""
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

    def initialize(self, dispatcher: Dispatcher, traffic: Traffic) -> None:  # type: ignore[override]
        """Take what the mount passes to every handler."""
        super().initialize(dispatcher)
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
        """Return the account, with its groups."""
        if self._account is None:
            raise web.HTTPError(403)
        return Caller(self._account.name, groups_of(self._account), known="socket")

    async def answer(self, route: Route, args: dict[str, str]) -> None:
        """Answer one request, and count it as long."""
        with self._traffic.request():
            await super().answer(route, args)


class RetireHandler(SocketApi):
    """Make the controller leave; its sessions run on."""

    def initialize(  # type: ignore[override]
        self, dispatcher: Dispatcher, traffic: Traffic, retire: Callable[[], None]
    ) -> None:
        """Take what the mount passes."""
        super().initialize(dispatcher, traffic)
        self._retire = retire

    async def post(self) -> None:
        """Answer, then leave."""
        self.set_header("Content-Type", "application/json")
        await self.finish(b"{}")
        self._retire()


def socket_application(
    dispatcher: Dispatcher, traffic: Traffic, retire: Callable[[], None]
) -> web.Application:
    """Return what the controller serves: all routes, the internal ones included, and its end."""
    shared = {"dispatcher": dispatcher, "traffic": traffic}
    made = make_handlers(SocketApi, ROUTES, lambda _permission, verb: verb)
    return web.Application(
        [
            (RETIRE, RetireHandler, {**shared, "retire": retire}),
            *((API + pattern, handler, shared) for pattern, handler in made),
        ],
        log_function=_log,
    )


def _log(handler: web.RequestHandler) -> None:
    """Log what went wrong only: polls would fill the log within a day.

    Whoever hung up, or is hung up on because we leave, is told nothing and missed nothing.
    """
    connection = cast("HTTP1Connection", handler.request.connection)
    status = handler.get_status()
    if status >= 500 and not connection.stream.closed():
        asked = f"{handler.request.method} {handler.request.path}"
        logging.getLogger(__name__).warning("%s %s", status, asked)
