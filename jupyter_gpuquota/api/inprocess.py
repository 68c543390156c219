"""Answer by calling the use cases with a backend of this process."""

from __future__ import annotations

from hashlib import blake2s

import msgspec

from ..ports.backend import Backend
from ..services.admin import view_of
from ..services.call import Call
from ..services.usecases import USE_CASES
from .decoding import Empty, decode_body, decode_query
from .dispatch import Answer, Asked


class InProcess:
    """Be the dispatcher of whoever holds the backend."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    async def dispatch(self, asked: Asked) -> Answer:
        """Decode, call the use case, encode; what is unchanged is neither read nor encoded."""
        row = asked.route
        etag = self._etag(asked)
        if etag and etag in [known.strip() for known in asked.etags.split(",")]:
            return Answer(304, etag=etag)
        call = Call(
            user=asked.user,
            args=asked.args,
            query=decode_query(asked.query, row.query or Empty),
            body=decode_body(asked.body, row.request or Empty),
        )
        found = await USE_CASES[row.name](self._backend, call)
        return Answer(row.status, msgspec.json.encode(found), etag)

    def _etag(self, asked: Asked) -> str:
        """Name the state that an answer is a view of: it changes with the noun's revision.

        The user's name plays no part: Jupyter names whoever comes with a token anew each time.
        What a user may do does, where the answer says it.
        """
        if not asked.route.noun:
            return ""
        rights = view_of(self._backend, asked.user) if asked.route.noun == "quota" else ""
        parts = (asked.route.name, *asked.args.values(), asked.query, rights)
        asks = "\n".join(parts).encode()
        view = blake2s(asks, digest_size=6).hexdigest()
        revision = self._backend.revision(asked.route.noun)
        return f'W/"{self._backend.instance}-{revision}-{view}"'
