"""Use cases of the audit log."""

from __future__ import annotations

from ..core.paging import page
from ..model.projects import AuditEntry, AuditQuery
from ..model.struct import Page
from ..ports.backend import Backend, require
from .call import Call


async def list_(backend: Backend, call: Call) -> Page[AuditEntry]:
    """Return who changed what, newest first."""
    query: AuditQuery = call.query
    entries = await require(backend, "administration", backend.administration).audit()
    revision = entries[0].id if entries else ""
    return page(entries, query.limit, query.cursor, revision)


async def entered(backend: Backend, call: Call, how: str) -> None:
    """Add to the audit log that an admin enters a session of another user, before it happens."""
    if not call.rights.owns(call.target):
        await backend.access.entered(call.caller, call.target, how)
