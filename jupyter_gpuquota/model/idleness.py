"""Whether a session is idle, how that was found out, and what becomes of it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

import msgspec

from .base import Model, Open, Request
from .policy import IdleAction

SignalName = Literal["kernels", "terminals", "presence", "cpu", "gpu", "process"]
SignalState = Literal["busy", "idle", "unknown"]
IdleRule = Literal["idle_timeout", "quiet_hours", "gpu_idle_timeout"]
NextAction = Literal[IdleAction, ""]
"""What will be done to an idle session; empty for nothing."""


class Signal(Model, frozen=True, kw_only=True):
    """Be one of the things that activity is seen by.

    `last` is when it was last busy, or could not be told to be idle: `unknown` counts as busy.
    `detail` says in plain words what was seen.
    """

    name: Open[SignalName]
    state: Open[SignalState]
    last: datetime
    detail: str = ""


class Idleness(Model, frozen=True, kw_only=True):
    """Say that a session is idle, and what comes of it.

    `since` is when any signal was last busy; for `gpu_idle_timeout`, the one of the GPU. `action`
    is taken at `acts`, by the `rule` and the `level` that decided it; None and empty where nothing
    will be done, because no level wants it or the session is `exempt` until a time. `warned` is
    when the owner was told; where the action is `notify`, that was it.
    """

    since: datetime
    rule: Open[IdleRule]
    level: str = ""
    action: Open[NextAction] = ""
    acts: datetime | None = None
    warned: datetime | None = None
    exempt: datetime | None = None


class KeptAlive(Model, frozen=True, kw_only=True):
    """Say until when a user keeps a session alive, and how often since it was last used."""

    until: datetime
    times: int = 1


class Activity(Model, frozen=True, kw_only=True):
    """Say what is known of a session's activity: every signal, as of `at`.

    `idle` is None while the session counts as busy. `looked` is false where it was not looked at
    yet since the controller began.
    """

    session: str
    at: datetime
    signals: tuple[Signal, ...]
    idle: Idleness | None = None
    looked: bool = True


class PresenceRequest(Request, frozen=True, kw_only=True):
    """Say that a person used a session at a time.

    Where a notebook was `saved` (its path in the session), that was a person only if its sources
    have changed: JupyterLab saves by itself whenever a program has printed.
    """

    at: Annotated[datetime, msgspec.Meta(tz=True)]
    saved: str = ""


class KeepAliveRequest(Request, frozen=True, kw_only=True):
    """Ask to keep a session alive; an empty length of time means as long as the policy allows."""

    span: str | int = ""
