"""The routes of node groups."""

from __future__ import annotations

from ..projects import Groups, GroupsRequest
from .route import Route

ROUTES: tuple[Route, ...] = (
    Route("groups.get", "GET", "/groups", Groups, "List the node groups"),
    Route(
        "groups.put",
        "PUT",
        "/groups",
        Groups,
        "Change the node groups",
        request=GroupsRequest,
        need="admin",
    ),
)
