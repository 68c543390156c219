"""The routes of templates. Those of admins need an admin: see `core.templates`."""

from __future__ import annotations

from ..struct import Nothing
from ..templates import Template, TemplateList, TemplateRequest
from .route import Route

_ONE = "/templates/{scope}/{template}"

ROUTES: tuple[Route, ...] = (
    Route(
        "templates.list",
        "GET",
        "/templates",
        TemplateList,
        "List the templates that the caller may launch",
        noun="templates",
    ),
    Route(
        "templates.put",
        "PUT",
        _ONE,
        Template,
        "Save a template, checked like a launch",
        request=TemplateRequest,
    ),
    Route("templates.delete", "DELETE", _ONE, Nothing, "Delete a template"),
)
