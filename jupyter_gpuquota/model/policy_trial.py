"""What a policy would have done over the recorded time."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from .idleness import IdleRule
from .policy import IdleAction
from .struct import ADDED, Message, Model, Open


class TrialAct(Model, frozen=True, kw_only=True):
    """When a session would have been ended or its owner notified, by which rule.

    `returned` is what it would have released until it was used `again` or had ended, in milli-GPU
    hours. `again` is when it was used next, None if it was not. It is a `false_alarm` if the
    session was used again within an hour.
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
    """The effect of a policy on a project: the present one, and the one that is tried.

    `returned` is in milli-GPU hours; notices release nothing.
    """

    project: str
    acts_before: int
    acts: int
    false_alarms_before: int
    false_alarms: int
    returned_before: int
    returned: int


class PolicyTrial(Model, frozen=True, kw_only=True):
    """What a policy would have done between `since` and `until`; `message` sums it up.

    `acts` are the newest of those that the tried policy would have taken, `count` says of how
    many. `sessions` is how many were observed in that time, `seconds` for how long in all.
    `sentences` are those of `message`, with their keys.
    """

    message: str
    sentences: Annotated[tuple[Message, ...], ADDED] = ()
    since: datetime
    until: datetime
    sessions: int
    seconds: int
    projects: tuple[TrialSum, ...] = ()
    acts: tuple[TrialAct, ...] = ()
    count: int = 0
