"""Lists of objects that are kept up to date by a watch instead of being read again and again."""

from __future__ import annotations

import http.client
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from .rest import Refused, Rest

Json = dict[str, Any]

PAUSE = 0.3
"""Seconds after which the API server is asked again when it was away."""


class Watched:
    """The objects at a path, followed by a thread of its own until the process ends."""

    def __init__(self, rest: Rest, path: str, changed: Callable[[], object], **query: str) -> None:
        """Begin; `changed` is called in the thread after each change, and at the beginning."""
        self._rest = rest
        self._path = path
        self._query = query
        self._changed = changed
        self._found: dict[str, Json] = {}
        threading.Thread(target=self._follow, daemon=True).start()

    def items(self) -> list[Json]:
        """Return the objects as last seen: none before the first answer."""
        return list(self._found.values())

    def _follow(self) -> None:
        while True:
            # The API server is away, or no longer knows the version: tests do both.
            with suppress(Refused, OSError, ValueError, http.client.HTTPException):
                self._watch(self._list())
            time.sleep(PAUSE)

    def _list(self) -> str:
        """Read all objects; return the version from which a watch goes on."""
        listed = self._rest.get(self._path, **self._query)
        self._found = {one["metadata"]["uid"]: one for one in listed["items"]}
        self._changed()
        version: str = listed["metadata"]["resourceVersion"]
        return version

    def _watch(self, version: str) -> None:
        """Follow the changes since a version until the server ends the watch."""
        since = {"watch": "1", "resourceVersion": version}
        for event in self._rest.stream(self._path, **self._query, **since):
            found = event["object"]
            if event["type"] == "ERROR":
                return
            if event["type"] == "DELETED":
                self._found.pop(found["metadata"]["uid"], None)
            else:
                self._found[found["metadata"]["uid"]] = found
            self._changed()
