"""The interface to an API server; `client.py` implements it, tests replace it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal, Protocol, TypeVar

from .objects.meta import Object
from .resources import Resource

T = TypeVar("T", bound=Object)

Manifest = Mapping[str, Any]
"""An object as it is written, in JSON."""


Query = Mapping[str, str | Sequence[str]]
"""The query of a path; a sequence repeats its key."""


@dataclass(frozen=True, slots=True)
class Request:
    """What was asked of the API server, for messages. `server` is its address."""

    verb: str = ""
    resource: str = ""
    namespace: str = ""
    name: str = ""
    server: str = ""


@dataclass(frozen=True, slots=True)
class Cause:
    """One cause of a fault: the field's path in the manifest, and what is wrong with it."""

    field: str
    reason: str
    message: str


class Fault(Exception):
    """An answer of the API server other than success, or none; `faults.py` translates it.

    `status` is the HTTP status, 0 where nothing answered. `reason` is the server's word
    (`AlreadyExists`), `message` its sentence. `wait` is the number of seconds that the server asks
    to wait. The text never contains credentials.
    """

    def __init__(
        self,
        status: int,
        reason: str,
        message: str,
        wait: float = 0.0,
        *,
        causes: Sequence[Cause] = (),
        request: Request | None = None,
    ) -> None:
        super().__init__(f"{reason or status}: {message}")
        self.status = status
        self.reason = reason
        self.message = message
        self.wait = wait
        self.causes = tuple(causes)
        self.request = request or Request()


@dataclass(frozen=True, slots=True)
class Change(Generic[T]):
    """One event of a watch. A `BOOKMARK` carries only the version up to which all was seen.

    An `UNREADABLE` object has a field of another form than its kind.
    """

    type: Literal["ADDED", "MODIFIED", "DELETED", "BOOKMARK", "UNREADABLE"]
    object: T | None
    version: str
    initial: bool = False
    """Whether this bookmark ends the initial set of a watch-list."""
    unread: tuple[str, str] = ("", "")
    """Namespace and name of an object that cannot be read."""

    @property
    def key(self) -> tuple[str, str]:
        """Namespace and name of the object."""
        return self.unread if self.object is None else self.object.key


class Socket(Protocol):
    """A WebSocket of the API server, for programs and ports of pods."""

    @property
    def protocol(self) -> str:
        """The subprotocol that the server has chosen; empty if none."""

    async def send(self, message: bytes) -> None:
        """Send a binary message; returns when there is room for the next one.

        Raises Fault with the status 0 once the connection is closed.
        """

    async def receive(self) -> bytes | None:
        """Return the next message, None once the connection is closed, however it was.

        Nothing is read ahead of the caller beyond a small buffer, so that a slow reader slows the
        sender.
        """

    async def close(self) -> None:
        """Close the connection; may be called twice."""


class Objects(Protocol):
    """The objects of an API server. Every method may raise Fault."""

    async def get(self, resource: Resource[T], namespace: str, name: str) -> T:
        """Return an object."""

    async def list(self, resource: Resource[T], namespace: str = "", labels: str = "") -> list[T]:
        """Return the objects of a namespace, or of all, that match a label selector."""

    async def create(
        self, resource: Resource[T], namespace: str, body: Manifest, *, dry_run: bool = False
    ) -> T:
        """Create an object."""

    async def patch(
        self,
        resource: Resource[T],
        namespace: str,
        name: str,
        body: Manifest,
        *,
        subresource: str = "",
    ) -> T:
        """Change an object by a JSON merge patch, of this `metadata.uid` only if it names one."""

    async def apply(
        self,
        resource: Resource[T],
        namespace: str,
        name: str,
        body: Manifest,
    ) -> T:
        """Create or change an object by server-side apply, with our field manager, forced."""

    async def delete(
        self, resource: Resource[T], namespace: str, name: str, *, uid: str = "", version: str = ""
    ) -> None:
        """Delete an object, and in the background what it owns.

        With `uid` only that one, with `version` only in this version.
        """

    def watch(
        self, resource: Resource[T], namespace: str = "", labels: str = "", version: str = ""
    ) -> AsyncGenerator[Change[T]]:
        """Yield changes since a version; without one, first all objects as `ADDED`.

        The bookmark that ends these objects is `initial`; with a version a bookmark comes first,
        once the server has accepted. The generator returns where the server ends the watch, which
        it does every few minutes: continue from the last version. A Fault with the status 410 means
        that the version is too old: begin anew.
        """


class Api(Objects, Protocol):
    """A connection to one API server. Every method may raise Fault."""

    @property
    def namespace(self) -> str:
        """The namespace that the credentials name, empty if they name none."""

    async def read(self, path: str, query: Query | None = None) -> bytes:
        """Return the answer to GET of any path, such as discovery or the visibility API."""

    async def ask(self, path: str, body: Manifest) -> bytes:
        """Return the answer to POST of any path, such as an access review."""

    def stream(self, path: str, query: Query | None = None) -> AsyncGenerator[bytes]:
        """Yield the answer to GET of a path in pieces as they come, such as a log."""

    async def websocket(
        self, path: str, query: Sequence[tuple[str, str]], protocols: Sequence[str]
    ) -> Socket:
        """Open a WebSocket at a path, offering these subprotocols in the order of preference.

        It is limited neither in time nor by the number of other connections. Raises Fault with the
        status of the refusal, and its message if the server gives one.
        """

    def acting_as(self, user: str, groups: Sequence[str] = ()) -> Api:
        """Return this connection, impersonating a user, with the rights of that user."""

    async def close(self) -> None:
        """Close the connection; one that impersonates leaves the original open."""
