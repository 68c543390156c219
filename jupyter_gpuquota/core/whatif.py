"""Say what a change of settings would do, by playing it on the present state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from ..model.projects import ChangePreview, Effect, ProjectEffect, SessionEffect
from ..model.quota import Project
from ..model.resources import gpus_text
from ..model.sessions import ENDED, Session
from . import lifecycle, lifetime
from .foresight import foresight
from .instant import carry_out
from .line import holds
from .members import doubts
from .plans import Plan, Situation
from .possible import Prospects
from .scheduling import plan

_ROUNDS = 50
"""Rounds until all is at rest; each but the last starts or stops something."""


@dataclass(frozen=True, slots=True)
class What:
    """Be one of the things that can become of a session, and how many of them are told of."""

    effect: Effect
    one: str
    many: str = ""

    def counted(self, count: int) -> str:
        """Say how many sessions it becomes of."""
        return (
            f"1 session {self.one}" if count == 1 else f"{count} sessions {self.many or self.one}"
        )


_STARTS = What("starts", "would start")
_RECLAIMED = What("reclaimed", "would be reclaimed")
_MOVES = What("moves", "would be moved")
_KEEPS = What("keeps", "would keep its GPUs", "would keep their GPUs")
_DELAYED = What("waits", "would wait instead of starting")
_WAITS = What("waits", "would wait for another reason")
_NEVER = What("waits", "could not start any more at all")
_AGAIN = What(
    "waits",
    "could start one day, which it cannot now",
    "could start one day, which they cannot now",
)
_ENDS = What("ends", "would be stopped")
_ALL = (_STARTS, _RECLAIMED, _ENDS, _MOVES, _KEEPS, _DELAYED, _WAITS, _NEVER, _AGAIN)


@dataclass(frozen=True, slots=True)
class Rest:
    """Be the state in which nothing happens any more by itself."""

    sessions: Mapping[str, Session]
    fair: Mapping[str, int]

    def allocated(self, project: str) -> int:
        """Sum what a project holds, in milli-GPU."""
        own = (s for s in self.sessions.values() if s.spec.project == project)
        return sum(s.placement.milli for s in own if s.placement)


def compare(before: Situation, after: Situation) -> ChangePreview:
    """Say what would be different if the situation were the other, once all has come to rest."""
    old, new = settle(before), settle(after)
    effects = _projects(before, after, old, new)
    told = list(_effects(before, after, old, new))
    return ChangePreview(
        message=_sum_up([what for what, _ in told], effects, foresight(before, after)),
        projects=effects,
        sessions=tuple(effect for _, effect in told),
        warnings=doubts(after.projects, after.nodes),
    )


def _projects(
    before: Situation, after: Situation, old: Rest, new: Rest
) -> tuple[ProjectEffect, ...]:
    quotas = {p.name: p.quota for p in before.projects}
    wanted = {p.name: p.quota for p in after.projects}
    return tuple(
        ProjectEffect(
            name=name,
            quota_before=quotas.get(name, 0),
            quota=wanted.get(name, 0),
            fair_before=old.fair.get(name, 0),
            fair=new.fair.get(name, 0),
            allocated_before=old.allocated(name),
            allocated=new.allocated(name),
        )
        for name in {**quotas, **wanted}
    )


def settle(situation: Situation) -> Rest:
    """Play rounds until nothing changes; whoever leaves is thought to have left at once."""
    projects = {p.name: p for p in situation.projects}
    sessions = {
        s.id: _left(s, projects.get(s.spec.project), situation.now) for s in situation.sessions
    }
    decided = Plan((), ())
    for _ in range(_ROUNDS):
        # Claims are told apart by their time.
        situation = replace(situation, now=situation.now + timedelta(microseconds=1))
        decided = plan(replace(situation, sessions=tuple(sessions.values())))
        if not carry_out(decided, sessions, situation.now):
            break
    return Rest(sessions, decided.fair)


def _left(session: Session, project: Project | None, now: datetime) -> Session:
    """Return a session that has gone, if it is on its way or has lived as long as it may."""
    bounded = lifetime.bounded(session, project)
    if bounded.ends and bounded.ends <= now:
        session = lifetime.end(bounded, now)
    return lifecycle.finish_end(session, now) if session.state == "stopping" else session


def _effects(
    before: Situation, after: Situation, old: Rest, new: Rest
) -> Iterator[tuple[What, SessionEffect]]:
    """Say what sessions that are so now would be, compared with what they would be anyway."""
    prospects = Prospects(before), Prospects(after)
    for now in before.sessions:
        then = old.sessions[now.id], new.sessions[now.id]
        told = _of_holder(now, *then) if holds(now) else _of_waiter(*then, *prospects)
        if told is None:
            continue
        what, text = told
        name, project = now.spec.name, now.spec.project
        yield (
            what,
            SessionEffect(
                session=now.id,
                name=name,
                project=project,
                effect=what.effect,
                message=f"{name} ({project}) {text.strip()}",
            ),
        )


def _of_holder(now: Session, before: Session, after: Session) -> tuple[What, str] | None:
    what = _fate(now, after)
    if what == _fate(now, before):
        return None
    if what == _ENDS:
        return what, f"would be stopped{_why(after).removeprefix(lifetime.STOPPED)}"
    if after.placement is None:
        return what, f"would give its GPUs back and go in line again. {_why(after)}"
    if what == _MOVES:
        return what, f"would have to stop, and start again on {after.placement.text}."
    return what, f"would go on where it is, on {after.placement.text}."


def _fate(now: Session, then: Session) -> What:
    if then.placement is None:
        return _ENDS if then.state in ENDED else _RECLAIMED
    return _KEEPS if then.since == now.since else _MOVES


def _of_waiter(
    before: Session, after: Session, old: Prospects, new: Prospects
) -> tuple[What, str] | None:
    if after.placement:
        return None if before.placement else (_STARTS, f"would start on {after.placement.text}.")
    if before.placement:
        return _DELAYED, f"would wait instead of starting. {_why(after)}"
    both_wait = before.state == after.state == "waiting"
    return _of_waiting(before, after, old, new) if both_wait else None


def _of_waiting(
    before: Session, after: Session, old: Prospects, new: Prospects
) -> tuple[What, str] | None:
    once, now = old.obstacle(before), new.obstacle(after)
    if now and not once:
        return _NEVER, f"could not start any more at all: {now}"
    if once and not now:
        return _AGAIN, f"could start one day, which it cannot now. {_why(after)}"
    if before.reason and after.reason and before.reason.code != after.reason.code:
        return _WAITS, f"would wait for another reason: {_why(after)}"
    return None


def _why(session: Session) -> str:
    return session.reason.message if session.reason else ""


def _sum_up(told: Sequence[What], projects: Sequence[ProjectEffect], ahead: Sequence[str]) -> str:
    counts = Counter(told)
    parts = [what.counted(counts[what]) for what in _ALL if counts[what]]
    parts += [
        f"{p.name} would have a fair share of {gpus_text(p.fair)} GPU instead of "
        f"{gpus_text(p.fair_before)}"
        for p in projects
        if p.fair != p.fair_before
    ]
    if not parts:
        parts = ["Nothing would change at once for the sessions that there are"]
    return ". ".join([*parts, *ahead]) + "."
