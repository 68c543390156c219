"""The routes of projects."""

from __future__ import annotations

from ..projects import ChangePreview, ProjectAnswer, ProjectRemoval, ProjectRequest, Projects
from .route import Route

ROUTES: tuple[Route, ...] = (
    Route(
        "projects.list",
        "GET",
        "/projects",
        Projects,
        "List projects as they are set",
        noun="quota",
    ),
    Route(
        "projects.put",
        "PUT",
        "/projects/{name}",
        ProjectAnswer,
        "Create or change a project",
        request=ProjectRequest,
        need="admin",
    ),
    Route(
        "projects.preview",
        "POST",
        "/settings/preview",
        ChangePreview,
        "Preview a change of a project",
        request=ProjectRequest,
        need="admin",
    ),
    Route(
        "projects.delete",
        "DELETE",
        "/projects/{name}",
        ProjectAnswer,
        "Delete or drain a project",
        query=ProjectRemoval,
        need="admin",
    ),
)
