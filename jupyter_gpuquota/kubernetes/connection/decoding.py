"""JSON of the API server: objects, pages of lists, events of watches, and failures."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from functools import cache
from typing import Any, Generic, TypeVar

import msgspec

from ..api import Cause, Change, Fault, Request
from ..objects.meta import Object, Record
from .http import Answer

T = TypeVar("T", bound=Object)
log = logging.getLogger(__name__)

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


class _RawPage(Record, frozen=True, kw_only=True):
    """One page of a list, its objects unread."""

    metadata: PageMeta = PageMeta()
    items: Sequence[msgspec.Raw] = ()


class _Identity(Record, frozen=True, kw_only=True):
    name: str
    namespace: str = ""
    resource_version: str = ""


class _Identified(Record, frozen=True, kw_only=True):
    """What of an object can be read where its kind cannot."""

    metadata: _Identity


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
    return item_of(kind, event.type, event.object, about)


def item_of(kind: type[T], event: str, body: msgspec.Raw, about: Request) -> Change[T]:
    """Return the change that one object of a watch or of a list is.

    One that cannot be read is told, and stops no others: whoever may create Events can give them a
    year that is none, and whoever writes other objects any field that this program does not expect.
    Raises Fault for what is no object at all.
    """
    try:
        item: T = decoded(kind, body, about)
    except Fault as fault:
        named: _Identity = decoded(_Identified, body, about).metadata
        key = (named.namespace, named.name)
        if event == "DELETED":
            return Change("DELETED", None, named.resource_version, unread=key)
        log.warning("%s %s is left out: %s", about.resource, "/".join(key), fault.message)
        return Change("UNREADABLE", None, named.resource_version, unread=key)
    return Change(event, item, item.metadata.resource_version)  # type: ignore[arg-type]


def page_of(kind: type[T], body: bytes, about: Request) -> Page[T]:
    """Return one page of a list, without the objects that cannot be read. Raises Fault."""
    try:
        page: Page[T] = decoded(Page[kind], body, about)  # type: ignore[valid-type]
    except Fault:
        found: _RawPage = decoded(_RawPage, body, about)
        changes = [item_of(kind, "ADDED", each, about) for each in found.items]
        items = [each.object for each in changes if each.object is not None]
        return Page(metadata=found.metadata, items=items)
    return page


async def lines(pieces: AsyncIterator[bytes]) -> AsyncGenerator[bytes]:
    """Yield complete lines; what follows the last line break is incomplete and dropped."""
    rest: list[bytes] = []
    async for piece in pieces:
        *whole, last = piece.split(b"\n")
        for line in whole:
            yield b"".join([*rest, line])
            rest.clear()
        rest.append(last)
