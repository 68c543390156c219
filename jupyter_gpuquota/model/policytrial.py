"""What a policy would have done over the time that was recorded."""

from __future__ import annotations

from datetime import datetime

from .base import Model, Open
from .idleness import IdleRule
from .policy import IdleAction


class TrialAct(Model, frozen=True, kw_only=True):
    """Say when a session would have been acted on, by which rule.

    `returned` is what it would have given back until it was used `again` or had ended, in
    milli-GPU hours. `again` is when it was used next, None if it was not. Used again within an
    hour, it was a `false_alarm`.
    """

    session: str
    project: str
    user: str
    at: datetime
    rule: Open[IdleRule]
    action: Open[IdleAction]
    returned: int
    again: datetime | None = None
    false_alarm: bool = False


class TrialSum(Model, frozen=True, kw_only=True):
    """Sum up what a policy would have done in a project: before, as it is; after, as tried.

    `returned` is in milli-GPU hours; notices give nothing back.
    """

    project: str
    acts_before: int
    acts: int
    false_alarms_before: int
    false_alarms: int
    returned_before: int
    returned: int


class PolicyTrial(Model, frozen=True, kw_only=True):
    """Say what a policy would have done between `since` and `until`; `message` sums it up.

    `acts` are the newest of those that the tried policy would have taken, `count` says of how
    many. `sessions` is how many were looked at in that time, `seconds` for how long in all.
    """

    message: str
    since: datetime
    until: datetime
    sessions: int
    seconds: int
    projects: tuple[TrialSum, ...] = ()
    acts: tuple[TrialAct, ...] = ()
    count: int = 0
