"""The route of the history of use."""

from __future__ import annotations

from ..history import History, HistoryQuery
from .route import Route

ROUTES: tuple[Route, ...] = (
    Route(
        "history.get",
        "GET",
        "/history",
        History,
        "Show how projects used GPUs over time",
        query=HistoryQuery,
    ),
)
