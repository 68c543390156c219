"""Controllers of this machine, as they look from outside."""

from __future__ import annotations

from datetime import datetime

from .base import Model


class ControllerStatus(Model, frozen=True, kw_only=True):
    """A controller, and what is known of it while it runs.

    `since` is when it began to answer, `sessions` the number of those that run, which go on without
    it where it is `outlived`. `problem` says why something is not known.
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
    """The controllers that were asked for."""

    controllers: tuple[ControllerStatus, ...]
