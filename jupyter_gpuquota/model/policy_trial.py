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


class TrialSoon(Model, frozen=True, kw_only=True):
    """What would change for a running session in the next hour if a policy were applied now.

    It would be ended `at` a time, or its owner notified, after a warning at `warned`; None if
    neither happens. `at_before` and `action_before` are what the present policy does.
    """

    session: str
    project: str
    user: str
    at: datetime | None
    action: Open[IdleAction] | None
    warned: datetime | None
    at_before: datetime | None
    action_before: Open[IdleAction] | None


class PolicyTrial(Model, frozen=True, kw_only=True):
    """What a policy would have done between `since` and `until`; `message` sums it up.

    `since` is when the recording began, if that is less than a week ago; in `recorded` seconds of
    this time anything was observed. `acts` are the newest of those that the tried policy would have
    taken, `count` says of how many. `sessions` is how many were observed, `seconds` for how long in
    all. `soon` is what applying the policy now would change within an hour. `sentences` are those
    of `message`, with their keys.
    """

    message: str
    sentences: Annotated[tuple[Message, ...], ADDED] = ()
    since: datetime
    until: datetime
    sessions: int
    seconds: int
    recorded: Annotated[int, ADDED] = 0
    soon: Annotated[tuple[TrialSoon, ...], ADDED] = ()
    projects: tuple[TrialSum, ...] = ()
    acts: tuple[TrialAct, ...] = ()
    count: int = 0
