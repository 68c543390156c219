"""The routes of nodes."""

from __future__ import annotations

from ..nodes import GpuList, Nodes, UtilisationList
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
    Route(
        "nodes.gpus",
        "GET",
        "/gpus",
        GpuList,
        "List what is measured of GPUs now",
        noun="gpus",
        need="anyone",
    ),
    Route(
        "nodes.utilisation",
        "GET",
        "/utilisation",
        UtilisationList,
        "List how busy the GPUs of sessions were lately",
        noun="utilisation",
        need="anyone",
    ),
)
