"""The dispatcher to a backend in this process."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from hashlib import blake2s
from typing import Any

import msgspec

from ..core.access import Rights
from ..ports.backend import Backend
from ..services.usecases import perform
from .decoding import Empty, decode_body, decode_query
from .dispatch import ApiRequest, ApiResponse


class InProcess:
    """A dispatcher that calls the use cases."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    async def dispatch(self, request: ApiRequest) -> ApiResponse:
        """Decode, call the use case, encode; an unchanged answer is neither read nor encoded."""
        row = request.route
        rights = await self._backend.access.rights(request.caller)
        etag = self._etag(request, rights)
        if etag and etag in [known.strip() for known in request.etags.split(",")]:
            return ApiResponse(304, etag=etag)
        found = await perform(
            self._backend,
            row,
            rights,
            request.args,
            query=decode_query(request.query, row.query or Empty),
            body=decode_body(request.body, row.request or Empty),
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


async def _lines(first: Any, rest: AsyncGenerator[Any]) -> AsyncGenerator[bytes]:
    async with aclosing(rest):
        yield _line(first)
        async for event in rest:
            yield _line(event)


def _line(event: Any) -> bytes:
    return msgspec.json.encode(event) + b"\n"
