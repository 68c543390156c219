"""The audit log."""

from __future__ import annotations

from ..model.projects import AuditEntry, AuditQuery
from ..model.struct import Page
from .connection.context import Context
from .listing import Listing, Table

AUDIT = Table[AuditEntry](
    columns={
        "at": lambda entry: entry.at,
        "who": lambda entry: entry.who,
        "what": lambda entry: entry.what,
        "before": lambda entry: entry.before,
        "after": lambda entry: entry.after,
    },
    shown=("at", "who", "what"),
    empty="No entries.",
)


def read(
    context: Context, *, limit: int = 100, cursor: str = ""
) -> Listing[AuditEntry, Page[AuditEntry]]:
    """List who changed what, newest first. Raises NotAllowed."""
    page: Page[AuditEntry] = context.call(
        "audit.list", query=AuditQuery(limit=limit, cursor=cursor)
    )
    return Listing(page, page.items, AUDIT)
