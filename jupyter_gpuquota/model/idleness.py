"""Whether a session is idle, which signals show it, and what happens then."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

import msgspec

from .policy import IdleAction
from .struct import Model, Open, Request

SignalName = Literal["kernels", "terminals", "presence", "cpu", "io", "gpu", "process"]
SignalState = Literal["busy", "idle", "unknown"]
IdleRule = Literal["idle_timeout", "gpu_idle_timeout"]
NextAction = Literal[IdleAction, ""]
"""What is done to an idle session; empty for nothing."""


class Signal(Model, frozen=True, kw_only=True):
    """One signal of activity.

    `last` is when it was last busy; `unknown` counts as busy. `detail` describes the observation.
    """

    name: Open[SignalName]
    state: Open[SignalState]
    last: datetime
    detail: str = ""


class Idleness(Model, frozen=True, kw_only=True):
    """An idle session, and what will happen to it.

    `since` is when any signal was last busy; for `gpu_idle_timeout`, the GPU's. `action` is taken
    at `acts`, by the `rule` and the `level` that decided it; None and empty where nothing will
    happen, because no level requires it or the session is `exempt` until a time. `warned` is when
    the owner was warned; where the action is `notify`, that was the notice.
    """

    since: datetime
    rule: Open[IdleRule]
    level: str = ""
    action: Open[NextAction] = ""
    acts: datetime | None = None
    warned: datetime | None = None
    exempt: datetime | None = None


class KeptAlive(Model, frozen=True, kw_only=True):
    """Until when a user keeps a session alive, and how often since it was last used."""

    until: datetime
    times: int = 1


class Activity(Model, frozen=True, kw_only=True):
    """What is known of a session's activity: every signal, as of `at`.

    `idle` is None while the session counts as busy. `looked` is false if it was not observed since
    the controller started.
    """

    session: str
    at: datetime
    signals: tuple[Signal, ...]
    idle: Idleness | None = None
    looked: bool = True


class PresenceRequest(Request, frozen=True, kw_only=True):
    """Report that a person used a session at a time.

    Where a notebook was `saved` (its path in the session), that was a person only if its sources
    have changed: JupyterLab also saves automatically after output.
    """

    at: Annotated[datetime, msgspec.Meta(tz=True)]
    saved: str = ""


class KeepAliveRequest(Request, frozen=True, kw_only=True):
    """Request to keep a session alive; an empty duration means as long as the policy allows."""

    span: str | int = ""
