"""Answer by calling the use cases with a backend of this process."""

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
from .dispatch import Answer, Asked


class InProcess:
    """The dispatcher of whoever holds the backend."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    async def dispatch(self, asked: Asked) -> Answer:
        """Decode, call the use case, encode; what is unchanged is neither read nor encoded."""
        row = asked.route
        rights = await self._backend.access.rights(asked.caller)
        etag = self._etag(asked, rights)
        if etag and etag in [known.strip() for known in asked.etags.split(",")]:
            return Answer(304, etag=etag)
        found = await perform(
            self._backend,
            row,
            rights,
            asked.args,
            query=decode_query(asked.query, row.query or Empty),
            body=decode_body(asked.body, row.request or Empty),
        )
        if row.streams:
            first = await anext(found)  # what is wrong with the request shows here
            return Answer(row.status, lines=_lines(first, found))
        return Answer(row.status, msgspec.json.encode(found), etag)

    def _etag(self, asked: Asked, rights: Rights) -> str:
        """Name the state that an answer is a view of: it changes with the noun's revision.

        What the caller may do is part of the view: no one is told that nothing has changed by
        whom they see less or more than.
        """
        if not asked.route.noun:
            return ""
        parts = (asked.route.name, *asked.args.values(), asked.query, rights.key)
        view = blake2s("\n".join(parts).encode(), digest_size=6).hexdigest()
        changes = self._backend.changes
        return f'W/"{changes.instance}-{changes.revision(asked.route.noun)}-{view}"'


async def _lines(first: Any, rest: AsyncGenerator[Any]) -> AsyncGenerator[bytes]:
    async with aclosing(rest):
        yield _line(first)
        async for event in rest:
            yield _line(event)


def _line(event: Any) -> bytes:
    return msgspec.json.encode(event) + b"\n"
