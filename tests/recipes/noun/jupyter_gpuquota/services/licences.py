"""Use cases of licences."""

from __future__ import annotations

from ..model.licences import Licences
from ..ports.backend import Backend, require
from .call import Call


async def list_(backend: Backend, call: Call) -> Licences:
    """Return all licences. Raises Unsupported."""
    licensing = require(backend, "licensing", backend.licensing)
    return Licences(licences=licensing.licences(), revision=backend.changes.revision("licences"))
