"""End sessions at the end of their maximum lifetime."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import cache

from ...core.idle import lifetime
from ...core.idle.decide import Event
from ...core.idle.policy import life_in
from ...model.sessions import Kind, Session
from ..board import Board

_JUMP = timedelta(seconds=5)
"""Deviation of the wall clock from the steady clock above which it has jumped."""


class Lifetimes:
    """The remaining lifetimes of sessions, by a clock that never jumps.

    When the wall clock jumps, the start times of running sessions are shifted with it.
    """

    def __init__(self, board: Board) -> None:
        self._board = board
        self._warned: dict[tuple[str, int], float] = {}
        self._looked: tuple[datetime, float] | None = None

    def check(self, now: datetime, steady: float) -> Iterator[tuple[Session, Event]]:
        """Yield running sessions whose end is near, reached or changed, and the event.

        `now` is the wall clock, `steady` the seconds of a clock that never jumps.
        """
        jump = self._jump(now, steady)
        settings = self._board.settings
        projects = {project.name: project for project in settings.projects}
        warned, self._warned = self._warned, {}

        @cache
        def is_limited(name: str, kind: Kind) -> bool:
            return bool(life_in(settings.policy, name, kind, projects.get(name)).value)

        for session in self._board.sessions:
            if session.state != "running" or not (
                jump
                or session.ends
                or session.ends_by
                or (session.started and session.started > now)
                or is_limited(session.spec.project, session.spec.kind)
            ):
                continue  # of thousands of sessions most have nothing that time could bring
            key = (session.id, session.run)
            elapsed = timedelta(seconds=steady - warned.get(key, steady))
            project = projects.get(session.spec.project)
            known = lifetime.moved(session, jump) if jump else session
            bounded = lifetime.bound(known, project, settings.policy, now, elapsed)
            if lifetime.near(bounded, now):
                self._warned[key] = warned.get(key, steady)
            over = bounded.ends is not None and bounded.ends <= now
            after = lifetime.end(bounded, now) if over else lifetime.warn(bounded, now)
            news = after.progress != session.progress
            if after != session:
                yield after, "act" if over else "warn" if news else ""

    def _jump(self, now: datetime, steady: float) -> timedelta:
        """Return by how much the wall clock has jumped since the last check."""
        before, self._looked = self._looked, (now, steady)
        if before is None:
            return timedelta()
        jump = now - before[0] - timedelta(seconds=steady - before[1])
        return jump if abs(jump) > _JUMP else timedelta()
