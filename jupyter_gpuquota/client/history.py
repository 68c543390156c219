"""The history of GPU use."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from typing import Any

from ..model.history import By, History, HistoryPoint, HistoryQuery
from .connection.context import Context
from .listing import Listing, Table

_IN_GPUS = ("allocated", "in_quota", "borrowed", "requested", "peak")
_COLUMNS = ("seconds", *_IN_GPUS, "waiting", "utilisation", "simulated")


def read(
    context: Context,
    *,
    project: str = "",
    hours: int = 24,
    since: datetime | None = None,
    until: datetime | None = None,
    points: int = 300,
    by: By = "project",
    user: str = "",
) -> Listing[HistoryPoint, History]:
    """List how projects used GPUs; see `Client.history`."""
    query = HistoryQuery(
        project=project,
        user=user,
        by=by,
        hours=hours,
        since=_zoned(since),
        until=_zoned(until),
        points=points,
    )
    answer: History = context.call("history.get", query=query)
    return Listing(answer, answer.points, table_of(answer))


def table_of(answer: History) -> Table[HistoryPoint]:
    """Return the columns of a history: with users only where it has lines for them."""
    user = ("user",) if answer.by == "user" else ()
    names = ("at", "project", *user, *_COLUMNS)
    return Table(
        columns={name: partial(_value, name=name, answer=answer) for name in names},
        shown=("at", "project", *user, "allocated", "borrowed", "peak", "utilisation"),
        empty="No GPU use in this period.",
    )


def _value(point: HistoryPoint, name: str, answer: History) -> Any:
    if name == "simulated":
        return answer.simulated
    value = getattr(point, name)
    return value / 1000 if name in _IN_GPUS else value


def _zoned(time: datetime | None) -> datetime | None:
    return time.astimezone(UTC) if time is not None else None
