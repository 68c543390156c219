"""Which sessions can be kept alive to any effect."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import cache

from ...model.policy import Policy
from ...model.sessions import Kind, Session
from .policy import Subject, rule_for, subject_of

Extends = Callable[[Session], bool]
"""Returns whether the policy would end an unused session, and lets users delay that."""


def extending(policy: Policy, now: datetime) -> Extends:
    """Return what says that of sessions: lists are long, and have few different rulings."""
    exempt = {each.who for each in policy.exemptions if each.until > now}

    @cache
    def most(project: str, kind: Kind, wish: int | None, *, stops: bool) -> int:
        """Return how often such a session can be kept alive; 0 if nothing would end it."""
        ruling = rule_for(policy, Subject("", "", project, kind, wish, stops), None, now)
        limits = ruling.limits
        ends = limits.idle_timeout and limits.action != "notify"
        ends = ends or (limits.gpu_idle_timeout and limits.gpu_idle_action != "notify")
        return limits.keep_alives if ends and limits.keep_alive else 0

    def extends(session: Session) -> bool:
        spec, times = session.spec, session.kept.times if session.kept else 0
        allowed = most(spec.project, spec.kind, spec.idle_timeout, stops=spec.stop_when_idle)
        return times < allowed and exempt.isdisjoint(subject_of(session).names)

    return extends
