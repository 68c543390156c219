"""Fill in what a request leaves open with what is at home in this JupyterLab."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from ..api.decoding import decode_object
from ..api.dispatch import Answer, Asked, Dispatcher


class AtHome:
    """Have requests answered as if they named this server's base URL, folder and environment.

    The base URL is always this server's: its ingress is the one that will show the session.
    Folder and environment are defaults; a relative folder is one below the server's root.
    """

    def __init__(self, inner: Dispatcher, base_url: str, root: str) -> None:
        self._inner = inner
        self._base_url = base_url
        self._root = root

    async def dispatch(self, asked: Asked) -> Answer:
        """Complete the request and hand it on."""
        if asked.route.name in {"sessions.create", "sessions.preview"}:
            return await self._inner.dispatch(_with(asked, self._defaults(asked.body)))
        if asked.route.name == "sessions.resume":
            return await self._inner.dispatch(_with(asked, {"base_url": self._base_url}))
        return await self._inner.dispatch(asked)

    def _defaults(self, body: bytes) -> Mapping[str, Any]:
        request = decode_object(body)
        found: dict[str, Any] = {"base_url": self._base_url}
        folder = request.get("folder", "")
        if self._root and isinstance(folder, str) and not folder.startswith(("/", "~")):
            found["folder"] = str(Path(self._root, folder))
        if request.get("environment", "") == "":
            found["environment"] = sys.prefix
        return found


def _with(asked: Asked, values: Mapping[str, Any]) -> Asked:
    return replace(asked, body=msgspec.json.encode({**decode_object(asked.body), **values}))
