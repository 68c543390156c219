"""Use cases of the audit log."""

from __future__ import annotations

import logging

from ..core.lists.recent import page
from ..errors import StorageFailed
from ..model.projects import AuditEntry, AuditQuery
from ..model.struct import Page
from ..ports.backend import Backend, require
from .call import Call

_log = logging.getLogger(__name__)


async def list_(backend: Backend, call: Call) -> Page[AuditEntry]:
    """Return who changed what, newest first."""
    query: AuditQuery = call.query
    entries = await require(backend, "administration", backend.administration).audit()
    revision = entries[0].id if entries else ""
    return page(entries, query.limit, query.cursor, revision)


async def entered(backend: Backend, call: Call, how: str) -> None:
    """Add to the audit log that an admin enters a session of another user, before it happens."""
    if not call.is_own:
        await backend.access.acted(call.caller, call.target, how)


async def ended(backend: Backend, call: Call, how: str, why: str = "") -> None:
    """Add to the audit log that a session of another user was ended, after it happened.

    Ending sessions frees space: where the log cannot be written for lack of it, a warning says so.
    """
    if call.is_own:
        return
    try:
        await backend.access.acted(call.caller, call.target, how, why)
    except StorageFailed as error:
        _log.warning("%s %s %s; no audit entry: %s", call.who, how, call.target.id, error.message)
