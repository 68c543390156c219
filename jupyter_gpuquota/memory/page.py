"""The page of every session of the memory backend."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from hmac import compare_digest
from html import escape
from string import Template

from tornado import web
from tornado.httpserver import HTTPServer
from tornado.netutil import bind_sockets

from ..control.board import Board
from ..core.hosts import check_exposed
from ..model.addresses import address_of
from ..model.sessions import Endpoint, Session

_HOST = "127.0.0.1"
_PAGE = Template(
    """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="color-scheme" content="light dark">
<title>$name</title>
<body style="font: 16px sans-serif; max-width: 40em; margin: 4em auto; padding: 0 1em">
<h1>$name</h1>
<p>This is a demo session without processes. Sessions of the <em>memory</em> backend use simulated
GPUs and show how sessions are launched, queued and reclaimed.</p>
<p>For a JupyterLab on this machine, use the backend <code>local</code>.</p>
</body>
</html>
"""
)


class DemoServer:
    """A server on loopback for all sessions; it starts when one is first opened."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._tokens: dict[str, str] = {}
        self._server: HTTPServer | None = None
        self._port = 0

    def endpoint(self, session: Session, port: int) -> Endpoint:
        """Return where a session's page is served. Raises NotAllowed, WrongState."""
        check_exposed(session, port)
        if self._server is None:
            self._start()
        base = "/" if port else address_of(session)
        token = self._tokens.setdefault(session.id, secrets.token_urlsafe(32))
        headers = {"Authorization": f"token {token}"}
        return Endpoint(host=_HOST, port=self._port, base_url=base, headers=headers)

    async def close(self) -> None:
        """Stop the server."""
        if self._server:
            self._server.stop()
            await self._server.close_all_connections()
            self._server = None

    def _start(self) -> None:
        settings = {"board": self._board, "tokens": self._tokens}
        self._server = HTTPServer(web.Application([(r".*", _Page, settings)]))
        sockets = bind_sockets(0, _HOST)
        self._port = sockets[0].getsockname()[1]
        self._server.add_sockets(sockets)


class _Page(web.RequestHandler):
    """Serves the page to the ingress, which alone knows the session's token."""

    def initialize(self, board: Board, tokens: Mapping[str, str]) -> None:
        """Store the arguments that the server passes to every handler."""
        self._board = board
        self._tokens = tokens

    def get(self) -> None:
        """Write the page."""
        sent = self.request.headers.get("Authorization", "").encode()
        session = next((s for s in self._board.sessions if self._is_of(s, sent)), None)
        if session is None:
            raise web.HTTPError(403)
        self.finish(_PAGE.substitute(name=escape(session.spec.name)))

    def _is_of(self, session: Session, sent: bytes) -> bool:
        token = self._tokens.get(session.id)
        return token is not None and compare_digest(sent, f"token {token}".encode())
