"""The interface to an API server, over any transport."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, replace

import msgspec

from ..api import Fault, Manifest, Query, Request, Socket
from .http import Call, pairs
from .objects import RestObjects


@dataclass(frozen=True, slots=True)
class Rest(RestObjects):
    """A connection to one API server; `owner` is false where it shares its transport.

    `namespace` is the one that the credentials name, empty if they name none.
    """

    owner: bool = True
    namespace: str = ""

    @property
    def server(self) -> str:
        """The address of the API server."""
        return self.caller.transport.server

    async def read(self, path: str, query: Query | None = None) -> bytes:
        """Return the answer to GET of any path, such as discovery or the visibility API."""
        call = Call("GET", path, pairs(query), about=self._about_path("get", path))
        return (await self.caller.send(call)).body

    async def ask(self, path: str, body: Manifest) -> bytes:
        """Return the answer to POST of any path, such as an access review."""
        about = self._about_path("create", path)
        call = Call("POST", path, body=msgspec.json.encode(body), about=about)
        return (await self.caller.send(call)).body

    def stream(self, path: str, query: Query | None = None) -> AsyncGenerator[bytes]:
        """Yield the answer to GET of a path in pieces as they come, such as a log."""
        about = self._about_path("get", path)
        return self.caller.stream(Call("GET", path, pairs(query), about=about))

    async def websocket(
        self, path: str, query: Sequence[tuple[str, str]], protocols: Sequence[str]
    ) -> Socket:
        """Open a WebSocket at a path, offering these subprotocols in the order of preference."""
        call = Call("GET", path, tuple(query), about=self._about_path("get", path))
        return await self.caller.transport.websocket(self.caller.mine(call), protocols)

    def acting_as(self, user: str, groups: Sequence[str] = ()) -> Rest:
        """Return this connection, impersonating a user, with the rights of that user.

        https://kubernetes.io/docs/reference/access-authn-authz/authentication/#user-impersonation
        """
        if not all(name and name.isprintable() for name in (user, *groups)):
            raise Fault(400, "BadRequest", "a user's or group's name has unprintable characters")
        headers = [("Impersonate-User", user), *(("Impersonate-Group", name) for name in groups)]
        return replace(self, caller=replace(self.caller, headers=tuple(headers)), owner=False)

    async def close(self) -> None:
        """Close the connection; one that impersonates leaves the original open."""
        if self.owner:
            await self.caller.transport.close()

    def _about_path(self, verb: str, path: str) -> Request:
        return Request(verb, path, server=self.caller.transport.server)
