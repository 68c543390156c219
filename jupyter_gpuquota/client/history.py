"""Operations on the history of use."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from ..model.history import History, HistoryPoint, HistoryQuery
from .context import Context
from .steps import Operation, ask

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = (
    "at",
    "project",
    "seconds",
    "allocated",
    "by_right",
    "borrowed",
    "asked",
    "peak",
    "waiting",
    "utilisation",
    "simulated",
)


def get(
    context: Context,
    *,
    project: str = "",
    hours: int = 24,
    since: datetime | None = None,
    until: datetime | None = None,
    points: int = 300,
) -> Operation[History]:
    """Tell how projects used GPUs in the last `hours`, or between `since` and `until`.

    A time without a zone is one of this machine's.
    """
    query = HistoryQuery(
        project=project, hours=hours, since=_zoned(since), until=_zoned(until), points=points
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
) -> Operation[pd.DataFrame | list[HistoryPoint]]:
    """Return how projects used GPUs as a pandas DataFrame, or the points where pandas is missing.

    Projects are all, or the one that is named; the time is the last `hours`, or from `since` to
    `until`. In the DataFrame GPUs are numbers, in the points whole milli-GPU. Times that were not
    sampled have no row.
    """
    found = yield from get(
        context, project=project, hours=hours, since=since, until=until, points=points
    )
    try:
        import pandas as pd  # noqa: PLC0415 (heavy, and optional)
    except ModuleNotFoundError:
        return list(found.points)
    frame = pd.DataFrame(rows(found), columns=list(COLUMNS))
    frame.attrs.update(step=found.step, note=found.note)
    return frame


def rows(found: History) -> list[dict[str, Any]]:
    """Return a row for each point; GPUs are numbers."""
    return [
        {
            "at": p.at,
            "project": p.project,
            "seconds": p.seconds,
            "allocated": p.allocated / 1000,
            "by_right": p.by_right / 1000,
            "borrowed": p.borrowed / 1000,
            "asked": p.asked / 1000,
            "peak": p.peak / 1000,
            "waiting": p.waiting,
            "utilisation": p.utilisation,
            "simulated": found.simulated,
        }
        for p in found.points
    ]


def _zoned(time: datetime | None) -> datetime | None:
    return time.astimezone(UTC) if time is not None else None
