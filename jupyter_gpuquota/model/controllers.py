"""Controllers of this machine, as seen from outside."""

from __future__ import annotations

from datetime import datetime

from .struct import Model


class ControllerStatus(Model, frozen=True, kw_only=True):
    """A controller, and its state while it runs.

    `since` is when it became ready, `sessions` the number of running ones, which continue without
    it where it is `outlived`. `problem` says why something is unknown.
    """

    backend: str
    socket: str
    running: bool = False
    pid: int = 0
    version: str = ""
    since: datetime | None = None
    sessions: int | None = None
    outlived: bool = True
    problem: str = ""


class Controllers(Model, frozen=True, kw_only=True):
    """The requested controllers."""

    controllers: tuple[ControllerStatus, ...]
