"""JSON of the API server: objects, pages of lists, events of watches, and failures."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from functools import cache
from typing import Any, Generic, TypeVar

import msgspec

from ..api import Cause, Change, Fault, Request
from ..objects.meta import Object, Record
from .http import Answer

T = TypeVar("T", bound=Object)

INITIAL_EVENTS_END = "k8s.io/initial-events-end"
"""Annotation of the bookmark that ends the initial set.

https://kubernetes.io/docs/reference/using-api/api-concepts/#streaming-lists
"""


class PageMeta(Record, frozen=True, kw_only=True):
    """Where a list stands. `continue_` is the token of the next page, empty on the last one."""

    resource_version: str = ""
    continue_: str = msgspec.field(default="", name="continue")


class Page(Record, Generic[T], frozen=True, kw_only=True):
    """One page of a list."""

    metadata: PageMeta = PageMeta()
    items: Sequence[T] = ()


class _Details(Record, frozen=True, kw_only=True):
    causes: list[dict[str, str]] = msgspec.field(default_factory=list)
    retry_after_seconds: float = 0.0


class _Status(Record, frozen=True, kw_only=True):
    """A failure (`v1` Status)."""

    code: int = 0
    reason: str = ""
    message: str = ""
    details: _Details = _Details()


class _Event(Record, frozen=True, kw_only=True):
    type: str
    object: msgspec.Raw


class _BookmarkMeta(Record, frozen=True, kw_only=True):
    resource_version: str = ""
    annotations: Mapping[str, str] = msgspec.field(default_factory=dict)


class _Bookmark(Record, frozen=True, kw_only=True):
    metadata: _BookmarkMeta = _BookmarkMeta()


@cache
def _decoder(kind: Any) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind)


def decoded(kind: Any, body: bytes | msgspec.Raw, about: Request) -> Any:
    """Return JSON as a record; `null` counts as absent. Raises Fault if it cannot be read."""
    try:
        return _decoder(kind).decode(body)
    except msgspec.ValidationError:
        pass  # Some field is `null`, which Go writes for an empty list: below.
    except msgspec.DecodeError:
        raise Fault(0, "", "the answer is not JSON", request=about) from None
    try:
        return msgspec.convert(_without_null(msgspec.json.decode(body)), kind)
    except msgspec.ValidationError as error:
        raise Fault(0, "", f"the answer has an unknown form: {error}", request=about) from None


def _without_null(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_null(item) for key, item in value.items() if item is not None}
    return [_without_null(item) for item in value] if isinstance(value, list) else value


def failure(answer: Answer, about: Request) -> Fault:
    """Return the fault of an answer other than success."""
    try:
        status = _decoder(_Status).decode(answer.body)
    except (msgspec.DecodeError, msgspec.ValidationError):
        # Not from the API server itself, but from a proxy before it or an extension behind it.
        status = _Status(message=_plain(answer.body))
    try:
        after = float(answer.headers.get("Retry-After", ""))
    except ValueError:  # Absent, or a date, which the API server never sends.
        after = 0.0
    return _fault(status, answer.status, about, after)


def _fault(status: _Status, code: int, about: Request, after: float = 0.0) -> Fault:
    found = (
        Cause(item.get("field", ""), item.get("reason", ""), item.get("message", ""))
        for item in status.details.causes
    )
    causes = tuple(dict.fromkeys(found))  # The server gives some of them twice.
    reason = status.reason
    if code == 422 and any(cause.field == "metadata.uid" for cause in causes):
        # A patch of an object that was deleted and created anew; deletions get 409.
        code, reason = 409, "Conflict"
    wait = after or status.details.retry_after_seconds
    message = status.message or f"status {code}"
    return Fault(code, reason, message, wait, causes=causes, request=about)


def _plain(body: bytes) -> str:
    text = " ".join(body[:500].decode(errors="replace").split())
    return "" if text.startswith("<") else text


def change(kind: type[T], line: bytes, about: Request) -> Change[T]:
    """Return one line of a watch. Raises the Fault that it carries, such as 410."""
    event: _Event = decoded(_Event, line, about)
    if event.type == "ERROR":
        status = decoded(_Status, event.object, about)
        raise _fault(status, status.code, about)
    if event.type == "BOOKMARK":
        meta = decoded(_Bookmark, event.object, about).metadata
        initial = meta.annotations.get(INITIAL_EVENTS_END) == "true"
        return Change("BOOKMARK", None, meta.resource_version, initial=initial)
    if event.type not in ("ADDED", "MODIFIED", "DELETED"):
        raise Fault(0, "", f"the watch sent the unknown event {event.type!r}", request=about)
    item: T = decoded(kind, event.object, about)
    return Change(event.type, item, item.metadata.resource_version)  # type: ignore[arg-type]


async def lines(pieces: AsyncIterator[bytes]) -> AsyncGenerator[bytes]:
    """Yield complete lines; what follows the last line break is incomplete and dropped."""
    rest: list[bytes] = []
    async for piece in pieces:
        *whole, last = piece.split(b"\n")
        for line in whole:
            yield b"".join([*rest, line])
            rest.clear()
        rest.append(last)
