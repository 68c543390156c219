"""The sources of notebooks in sessions, read from their Jupyter Servers."""

from __future__ import annotations

import asyncio
from urllib.parse import quote

import msgspec

from ...control.session_http import ServerConnection
from ...control.signals.notebook_sources import Notebook, digest
from ...errors import GpuQuotaError
from ...model.sessions import Endpoint, Session
from ..api import Fault
from .signals import Locate

_SECONDS = 5.0


class _Contents(msgspec.Struct):
    """A notebook in the answer of the contents API."""

    content: Notebook


class Fingerprints:
    """Hashes of the sources of notebooks: see `control/signals/presence.py`."""

    def __init__(self, locate: Locate) -> None:
        self._locate = locate

    async def __call__(self, session: Session, path: str) -> str:
        """Return the hash of a notebook's sources; empty if it cannot be read."""
        try:
            async with asyncio.timeout(_SECONDS):
                return await self._read(await self._locate(session), path)
        except (OSError, ValueError, msgspec.MsgspecError, Fault, GpuQuotaError):
            return ""

    async def _read(self, endpoint: Endpoint, path: str) -> str:
        connection = await ServerConnection.open(endpoint)
        try:
            place = f"api/contents/{quote(path.lstrip('/'))}"
            found = await connection.get_json(place, _Contents)
        finally:
            connection.close()
        return digest(found.content.cells) if found else ""
