"""Keep the user's kernelspecs in step with their sessions and templates."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Mapping
from http import HTTPStatus
from pathlib import Path
from typing import TypeVar

import msgspec
from jupyter_core.paths import jupyter_data_dir

from ..api.dispatch import ApiRequest, Dispatcher
from ..api.statuses import error_in
from ..errors import GpuQuotaError
from ..kernels.spec_files import SpecFiles
from ..kernels.specs import Spec, memory_of, of_sessions, of_templates
from ..model.about import About, Change
from ..model.nodes import Nodes
from ..model.routes.table import route
from ..model.sessions import Session
from ..model.struct import Page
from ..model.templates import TemplateList

T = TypeVar("T")

_NOUNS = frozenset({"sessions", "templates"})
_PAUSE = 1.0
"""Seconds between two looks, so that a burst of changes becomes one."""

log = logging.getLogger(__name__)


def spec_files(environment: Mapping[str, str]) -> SpecFiles:
    """Return the kernelspecs of this account; `environment` names the controller."""
    return SpecFiles(Path(jupyter_data_dir(), "kernels"), sys.executable, environment)


class Kernelspecs:
    """Writes kernelspecs after changes; a failure is logged, and the next change tries again."""

    def __init__(self, dispatcher: Dispatcher, files: SpecFiles) -> None:
        self._dispatcher = dispatcher
        self._files = files
        self._syncing: asyncio.Task[None] | None = None
        self._again = False

    def changed(self, change: Change) -> None:
        """Write them soon if the change is about sessions or templates."""
        if change.noun not in _NOUNS:
            return
        self._again = True
        if self._syncing is None or self._syncing.done():
            self._syncing = asyncio.ensure_future(self._sync())

    def close(self) -> None:
        """Stop; what was written stays for the clients that run without JupyterLab."""
        if self._syncing:
            self._syncing.cancel()

    async def _sync(self) -> None:
        while self._again:
            self._again = False
            try:
                specs = await self.wanted()
                await asyncio.to_thread(self._files.sync, specs)
            except GpuQuotaError as error:
                log.warning("Kernels of sessions are not up to date: %s", error)
            await asyncio.sleep(_PAUSE)

    async def wanted(self) -> list[Spec]:
        """Return the kernelspecs of the user. Raises the errors of the controller."""
        about = await self._get("about.get", About)
        sessions = await self._get("sessions.list", Page[Session])
        templates = await self._get("templates.list", TemplateList)
        memory = memory_of(await self._get("nodes.list", Nodes))
        return [*of_sessions(sessions.items, about.user), *of_templates(templates.items, memory)]

    async def _get(self, name: str, kind: type[T]) -> T:
        response = await self._dispatcher.dispatch(ApiRequest(route(name)))
        if response.status != HTTPStatus.OK:
            raise error_in(response.body)
        return msgspec.json.decode(response.body, type=kind)
