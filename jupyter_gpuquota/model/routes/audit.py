"""The route of the audit log."""

from __future__ import annotations

from ..projects import AuditEntry, AuditQuery
from ..struct import Page
from .route import Route

ROUTES: tuple[Route, ...] = (
    Route(
        "audit.list",
        "GET",
        "/audit",
        Page[AuditEntry],
        "List who changed what, newest first",
        query=AuditQuery,
        need="admin",
    ),
)
