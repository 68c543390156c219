"""Operations on the history of use."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from ..model.history import By, History, HistoryPoint, HistoryQuery
from .context import Context
from .steps import Operation, ask

if TYPE_CHECKING:
    import pandas as pd

_IN_GPUS = ("allocated", "by_right", "borrowed", "asked", "peak")
_COLUMNS = ("seconds", *_IN_GPUS, "waiting", "utilisation", "simulated")


def get(
    context: Context,
    *,
    project: str = "",
    hours: int = 24,
    since: datetime | None = None,
    until: datetime | None = None,
    points: int = 300,
    by: By = "project",
    user: str = "",
) -> Operation[History]:
    """Tell how projects used GPUs in the last `hours`, or between `since` and `until`.

    With `by` "user" it tells of each user of each project, or of the one who is named. A time
    without a zone is one of this machine's.
    """
    query = HistoryQuery(
        project=project,
        user=user,
        by=by,
        hours=hours,
        since=_zoned(since),
        until=_zoned(until),
        points=points,
    )
    found: History = yield from ask("history.get", query=query)
    return found


def table(
    context: Context,
    *,
    project: str = "",
    hours: int = 24,
    since: datetime | None = None,
    until: datetime | None = None,
    points: int = 300,
    by: By = "project",
    user: str = "",
) -> Operation[pd.DataFrame | list[HistoryPoint]]:
    """Return how projects used GPUs as a pandas DataFrame, or the points where pandas is missing.

    Projects are all, or the one that is named; the time is the last `hours`, or from `since` to
    `until`. With `by="user"`, or where a `user` is named, each user of a project has rows of
    their own, as far as one is a member of the project or an admin. In the DataFrame GPUs are
    numbers, in the points whole milli-GPU. Times that were not sampled have no row.
    """
    found = yield from get(
        context,
        project=project,
        hours=hours,
        since=since,
        until=until,
        points=points,
        by=by,
        user=user,
    )
    try:
        import pandas as pd  # noqa: PLC0415 (heavy, and optional)
    except ModuleNotFoundError:
        return list(found.points)
    frame = pd.DataFrame(rows(found), columns=list(columns(found)))
    frame.attrs.update(step=found.step, note=found.note)
    return frame


def columns(found: History) -> tuple[str, ...]:
    """Name what a row has: its user only where it is of one."""
    return ("at", "project", *(("user",) if found.by == "user" else ()), *_COLUMNS)


def rows(found: History) -> list[dict[str, Any]]:
    """Return a row for each point; GPUs are numbers."""
    names = columns(found)
    return [{name: _value(point, name, found) for name in names} for point in found.points]


def _value(point: HistoryPoint, name: str, found: History) -> Any:
    if name == "simulated":
        return found.simulated
    value = getattr(point, name)
    return value / 1000 if name in _IN_GPUS else value


def _zoned(time: datetime | None) -> datetime | None:
    return time.astimezone(UTC) if time is not None else None
