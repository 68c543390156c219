"""What a request leaves open, filled in with what is at home in this JupyterLab."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace
from http import HTTPStatus
from pathlib import Path
from typing import Any

import msgspec

from ..api.decoding import decode_object
from ..api.dispatch import Answer, Asked, Dispatcher
from ..api.statuses import error_in
from ..model.about import About
from ..model.routes import route


class AtHome:
    """Requests, answered as if they named this server's base URL, folder and environment.

    The base URL is always this server's: its ingress is the one that will show the session.
    Folder and environment are defaults, where sessions see this machine's files; a relative folder
    is one below the server's root.
    """

    def __init__(self, inner: Dispatcher, base_url: str, root: str) -> None:
        self._inner = inner
        self._base_url = base_url
        self._root = root
        self._local_files: bool | None = None

    async def dispatch(self, asked: Asked) -> Answer:
        """Complete the request and hand it on."""
        if asked.route.name in {"sessions.create", "sessions.preview"}:
            defaults = self._defaults(asked.body) if await self._shares_files() else {}
            base = {"base_url": self._base_url}
            return await self._inner.dispatch(_with(asked, {**defaults, **base}))
        if asked.route.name == "sessions.resume":
            return await self._inner.dispatch(_with(asked, {"base_url": self._base_url}))
        return await self._inner.dispatch(asked)

    async def _shares_files(self) -> bool:
        """Return whether sessions see this machine's files; the backend says so, once."""
        if self._local_files is None:
            answer = await self._inner.dispatch(Asked(route("about.get")))
            if answer.status != HTTPStatus.OK:
                raise error_in(answer.body)
            self._local_files = msgspec.json.decode(answer.body, type=About).local_files
        return self._local_files

    def _defaults(self, body: bytes) -> Mapping[str, Any]:
        request = decode_object(body)
        found: dict[str, Any] = {}
        folder = request.get("folder", "")
        if self._root and isinstance(folder, str) and not folder.startswith(("/", "~")):
            found["folder"] = str(Path(self._root, folder))
        if request.get("environment", "") == "":
            found["environment"] = sys.prefix
        return found


def _with(asked: Asked, values: Mapping[str, Any]) -> Asked:
    return replace(asked, body=msgspec.json.encode({**decode_object(asked.body), **values}))
