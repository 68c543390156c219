"""The route of nodes."""

from __future__ import annotations

from ..nodes import Nodes
from .route import Route

ROUTES: tuple[Route, ...] = (
    Route(
        "nodes.list",
        "GET",
        "/nodes",
        Nodes,
        "List nodes, devices and slices",
        noun="nodes",
        need="anyone",
    ),
)
