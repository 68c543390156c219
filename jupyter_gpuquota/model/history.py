"""How the GPUs were used over time."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from .base import Model, Open, Request

By = Literal["project", "user"]


class HistoryQuery(Request, frozen=True, kw_only=True):
    """Ask how GPUs were used between `since` and `until`; an empty `project` means all of them.

    With `by` "user" a point is for one user of a project; naming a `user` asks for that one's.
    Left out, `until` is now and `since` is `hours` before it. `points` is the most points of
    time that the answer may have (2 to 2000): the longer the time, the coarser they are.
    """

    project: str = ""
    user: str = ""
    by: By = "project"
    since: datetime | None = None
    until: datetime | None = None
    hours: int = 24
    points: int = 300


class HistoryPoint(Model, frozen=True, kw_only=True):
    """Say how one project, or one user of it, used GPUs in the step of time that begins `at`.

    `allocated` (which is `by_right` plus `borrowed`) and `asked` (what it waited for) are means
    in milli-GPU over the `seconds` of the step that were sampled; `peak` is the most that was
    allocated at once, `waiting` the most sessions that waited at once. `utilisation` is the mean
    in per cent of the devices that it held, over all of their processes; None where it was not
    measured. `user` is empty where the point is for the project as a whole.
    """

    at: datetime
    project: str
    user: str = ""
    seconds: int
    allocated: int
    by_right: int
    borrowed: int
    asked: int
    peak: int
    waiting: int
    utilisation: int | None = None


class UserHours(Model, frozen=True, kw_only=True):
    """Say how many GPU hours one user had of a project, in thousandths.

    `borrowed` is the part of `allocated` that was above the quota, `waited` what was waited for.
    `utilisation` is the mean in per cent of the devices while they were held; None where it was
    not measured. An empty `user` has what is left of the project: of users whose names are not
    shown, or were not recorded.
    """

    project: str
    user: str
    allocated: int
    borrowed: int
    waited: int
    utilisation: int | None = None


class History(Model, frozen=True, kw_only=True):
    """List points, oldest first; a step of time that was not sampled has none.

    `step` is the length in seconds of the time that a point stands for, `note` what has to be
    known to read the figures. `users` sums up the whole time: it adds up to what all had.
    """

    points: tuple[HistoryPoint, ...]
    users: tuple[UserHours, ...] = ()
    by: Open[By] = "project"
    step: int
    since: datetime
    until: datetime
    simulated: bool
    note: str = ""
