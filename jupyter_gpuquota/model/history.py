"""How the GPUs were used over time."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from .struct import ADDED, Model, Open, Request

By = Literal["project", "user"]


class HistoryQuery(Request, frozen=True, kw_only=True):
    """Request for the usage of GPUs between `since` and `until`; an empty `project` means all.

    With `by` "user" a point is for one user of a project; `user` selects one. By default, `until`
    is now and `since` is `hours` before it. `points` is the most points in time of the answer (2 to
    2000): the longer the time, the coarser they are.
    """

    project: str = ""
    user: str = ""
    by: By = "project"
    since: datetime | None = None
    until: datetime | None = None
    hours: int = 24
    points: int = 300


class HistoryPoint(Model, frozen=True, kw_only=True):
    """The usage of one project, or of one of its users, in the step that begins `at`.

    `allocated` (the sum of `in_quota` and `borrowed`) and `requested` (queued) are means in
    milli-GPU over the sampled `seconds` of the step; `peak` is the most allocated at once,
    `waiting` the most sessions queued at once. `utilisation` is the mean of the allocated devices
    in per cent, over all of their processes; None where it was not measured. `user` is empty for
    the project as a whole.
    """

    at: datetime
    project: str
    user: str = ""
    seconds: int
    allocated: int
    in_quota: int
    borrowed: int
    requested: int
    peak: int
    waiting: int
    utilisation: int | None = None


class UserHours(Model, frozen=True, kw_only=True):
    """The GPU hours of one user in a project, in thousandths.

    `borrowed` is the part of `allocated` above the quota, `waited` what was queued. `utilisation`
    is the mean of the allocated devices in per cent; None where it was not measured. An empty
    `user` has the rest of the project: users who are not shown or were not recorded.
    """

    project: str
    user: str
    allocated: int
    borrowed: int
    waited: int
    utilisation: int | None = None


class History(Model, frozen=True, kw_only=True):
    """Points, oldest first; a step without samples has none.

    `step` is the length of a point in seconds, `note` what readers need to know about the figures;
    `notes` are its sentences. `users` covers the whole time and adds up to the total.
    """

    points: tuple[HistoryPoint, ...]
    users: tuple[UserHours, ...] = ()
    by: Open[By] = "project"
    step: int
    since: datetime
    until: datetime
    simulated: bool
    note: str = ""
    notes: Annotated[tuple[str, ...], ADDED] = ()
