"""How the GPUs were used over time."""

from __future__ import annotations

from datetime import datetime

from .base import Model, Request


class HistoryQuery(Request, frozen=True, kw_only=True):
    """Ask how GPUs were used between `since` and `until`; an empty `project` means all of them.

    Left out, `until` is now and `since` is `hours` before it. `points` is the most points of
    time that the answer may have (2 to 2000): the longer the time, the coarser they are.
    """

    project: str = ""
    since: datetime | None = None
    until: datetime | None = None
    hours: int = 24
    points: int = 300


class HistoryPoint(Model, frozen=True, kw_only=True):
    """Say how one project used GPUs in the step of time that begins `at`.

    `allocated` (which is `by_right` plus `borrowed`) and `asked` (what it waited for) are means
    in milli-GPU over the `seconds` of the step that were sampled; `peak` is the most that was
    allocated at once, `waiting` the most sessions that waited at once. `utilisation` is the mean
    in per cent of the devices that it held, over all of their processes; None where it was not
    measured.
    """

    at: datetime
    project: str
    seconds: int
    allocated: int
    by_right: int
    borrowed: int
    asked: int
    peak: int
    waiting: int
    utilisation: int | None = None


class History(Model, frozen=True, kw_only=True):
    """List points, oldest first; a step of time that was not sampled has none.

    `step` is the length in seconds of the time that a point stands for, `note` what has to be
    known to read the figures.
    """

    points: tuple[HistoryPoint, ...]
    step: int
    since: datetime
    until: datetime
    simulated: bool
    note: str = ""
