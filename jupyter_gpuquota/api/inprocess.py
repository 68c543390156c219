"""The dispatcher to a backend in this process."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable
from contextlib import aclosing
from hashlib import blake2s
from typing import Any

import msgspec

from ..core.access import Rights
from ..ports.backend import Backend
from ..services.usecases import perform
from .decoding import Empty, decode_body, decode_query
from .dispatch import ApiRequest, ApiResponse

CHANGES = '"changes"'
"""Beside an ETag in `If-None-Match`: the answer may hold only what has changed since that one.

No answer has this ETag, so that older versions ignore it.
"""


class InProcess:
    """A dispatcher that calls the use cases."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    async def dispatch(self, request: ApiRequest) -> ApiResponse:
        """Decode, call the use case, encode; an unchanged answer is neither read nor encoded."""
        row = request.route
        rights = await self._backend.access.rights(request.caller)
        etag = self._etag(request, rights)
        known = [each.strip() for each in request.etags.split(",")] if etag else []
        if etag in known:
            return ApiResponse(304, etag=etag)
        found = await perform(
            self._backend,
            row,
            rights,
            request.args,
            query=decode_query(request.query, row.query or Empty),
            body=decode_body(request.body, row.request or Empty),
            since=_since(etag, known) if CHANGES in known else "",
        )
        if row.streams:
            first = await anext(found)  # errors of the request are raised here
            return ApiResponse(row.status, lines=_lines(first, found))
        return ApiResponse(row.status, msgspec.json.encode(found), etag)

    def _etag(self, request: ApiRequest, rights: Rights) -> str:
        """Return the ETag: it changes with the revision of the route's noun.

        The caller's rights are part of it, because they determine what an answer contains.
        """
        if not request.route.noun:
            return ""
        parts = (request.route.name, *request.args.values(), request.query, rights.key)
        view = blake2s("\n".join(parts).encode(), digest_size=6).hexdigest()
        changes = self._backend.changes
        return f'W/"{changes.instance}-{changes.revision(request.route.noun)}-{view}"'


def _since(etag: str, known: Iterable[str]) -> str:
    """Return the revision of a known ETag of the same view and instance, empty without one."""
    if not etag:
        return ""
    instance, _, view = etag.split("-")
    begin, end = f"{instance}-", f"-{view}"
    of_view = (each for each in known if each.startswith(begin) and each.endswith(end))
    return next((each[len(begin) : -len(end)] for each in of_view), "")


async def _lines(first: Any, rest: AsyncGenerator[Any]) -> AsyncGenerator[bytes]:
    async with aclosing(rest):
        yield _line(first)
        async for event in rest:
            yield _line(event)


def _line(event: Any) -> bytes:
    return msgspec.json.encode(event) + b"\n"
