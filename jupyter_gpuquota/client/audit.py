"""Operations on the audit log."""

from __future__ import annotations

from ..model.base import Page
from ..model.projects import AuditEntry, AuditQuery
from .context import Context
from .steps import Operation, ask


def list_(context: Context, *, limit: int = 100, cursor: str = "") -> Operation[Page[AuditEntry]]:
    """Show who changed what, newest first. Raises NotAllowed."""
    query = AuditQuery(limit=limit, cursor=cursor)
    found: Page[AuditEntry] = yield from ask("audit.list", query=query)
    return found
