"""The REST interface as data: one row a route.

Handlers, the OpenAPI document, the front end's typed calls, the Python client and the table of
permissions are all made from these rows. Paths are relative to `<base_url>gpuquota/api`.
"""

from __future__ import annotations

from .about import About, ChangesQuery, Revisions
from .environments import Environments
from .history import History, HistoryQuery
from .nodes import Nodes
from .quota import Quota
from .route import Permission, Route
from .routes_sessions import SESSIONS
from .routes_settings import SETTINGS

__all__ = ["ROUTES", "Permission", "Route", "route"]

ROUTES: tuple[Route, ...] = (
    Route("about.get", "GET", "/about", About, "Introduce the backend", need="anyone"),
    Route(
        "changes.wait",
        "GET",
        "/changes",
        Revisions,
        "Wait until something changes",
        query=ChangesQuery,
        internal=True,
        need="anyone",
        timeout=90.0,
    ),
    *SESSIONS,
    Route(
        "quota.get",
        "GET",
        "/quota",
        Quota,
        "Show projects and their use",
        noun="quota",
        need="anyone",
    ),
    Route(
        "history.get",
        "GET",
        "/history",
        History,
        "Show how projects used GPUs over time",
        query=HistoryQuery,
    ),
    Route(
        "nodes.list",
        "GET",
        "/nodes",
        Nodes,
        "Show nodes, devices and slices",
        noun="nodes",
        need="anyone",
    ),
    Route(
        "environments.list",
        "GET",
        "/environments",
        Environments,
        "List the Python prefixes that sessions may start from",
    ),
    *SETTINGS,
)


def route(name: str) -> Route:
    """Find a route by its name; raises KeyError for a name that is not in the table."""
    return _BY_NAME[name]


_BY_NAME = {row.name: row for row in ROUTES}
