"""Defaults that this JupyterLab fills into requests."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace
from http import HTTPStatus
from pathlib import Path
from typing import Any

import msgspec

from ..api.decoding import decode_object
from ..api.dispatch import ApiRequest, ApiResponse, Dispatcher
from ..api.statuses import error_in
from ..client.connection.texts import travelling, utf8
from ..model.about import About
from ..model.clusters.names import cluster_of
from ..model.routes.table import route


class RequestDefaults:
    """A dispatcher that adds this server's base URL, folder and environment to requests.

    The base URL is always this server's, as its ingress will show the session. Folder and
    environment are defaults, used if sessions see this machine's files, not in other clusters; a
    relative folder, also of
    a template, is relative to the server's root.
    """

    def __init__(self, inner: Dispatcher, base_url: str, root: str) -> None:
        self._inner = inner
        self._base_url = base_url
        self._root = root
        self._local_files: bool | None = None

    async def dispatch(self, request: ApiRequest) -> ApiResponse:
        """Complete the request and forward it."""
        if request.route.name in {"sessions.create", "sessions.preview"}:
            filled = self._defaults(request.body) if await self._shares_files() else {}
            base = {"base_url": self._base_url}
            return await self._inner.dispatch(_with(request, {**filled, **base}))
        if request.route.name == "sessions.resume":
            return await self._inner.dispatch(_with(request, {"base_url": self._base_url}))
        if request.route.name == "templates.put" and await self._shares_files():
            return await self._inner.dispatch(_with(request, self._in_template(request.body)))
        return await self._inner.dispatch(request)

    async def _shares_files(self) -> bool:
        """Return whether sessions see this machine's files; asks the backend once."""
        if self._local_files is None:
            answer = await self._inner.dispatch(ApiRequest(route("about.get")))
            if answer.status != HTTPStatus.OK:
                raise error_in(answer.body)
            self._local_files = msgspec.json.decode(answer.body, type=About).local_files
        return self._local_files

    def _defaults(self, body: bytes) -> Mapping[str, Any]:
        fields = decode_object(body)
        if cluster_of(str(fields.get("project", ""))):
            return {}
        defaults = self._folder(fields.get("folder", ""))
        if fields.get("environment", "") == "":
            defaults["environment"] = utf8(sys.prefix)
        return defaults

    def _in_template(self, body: bytes) -> Mapping[str, Any]:
        """Return a template's request with its folder; without one it is that of the launch."""
        asked = decode_object(body).get("request")
        if not isinstance(asked, dict) or not asked.get("folder"):
            return {}
        return {"request": {**asked, **self._folder(asked["folder"])}}

    def _folder(self, folder: object) -> dict[str, Any]:
        """Return a relative folder as an absolute one; nothing for any other value."""
        if self._root and isinstance(folder, str) and not folder.startswith(("/", "~")):
            return {"folder": utf8(str(Path(self._root, folder)))}
        return {}


def _with(request: ApiRequest, values: Mapping[str, Any]) -> ApiRequest:
    whole = {**decode_object(request.body), **values}
    with travelling(whole):
        return replace(request, body=msgspec.json.encode(whole))
