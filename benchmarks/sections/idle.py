"""GPU time that three idle rules free in the same week, and the users they disturb."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby
from time import perf_counter

import msgspec

from jupyter_gpuquota.core.idle.policy import Ruling, Subject, rule_for
from jupyter_gpuquota.core.idle.policy_check import check_policy
from jupyter_gpuquota.core.idle.replay import Stretch, end_of, ended
from jupyter_gpuquota.model.policy import PolicyRequest

from ..context import Context
from ..measuring.report import Report
from ..measuring.timing import in_turn
from ..simulated.people import HOUR, WEEK, Minute, Session, week

TITLE = "idle rules over one synthetic week"
SESSIONS = 200
TIMEOUT = HOUR
ALARM = timedelta(hours=1) // timedelta(minutes=1)

Rule = Callable[[Session], Iterator[int]]
"""Yields the minutes at which a rule ends a session; a user who needs it restarts it."""


@dataclass(slots=True)
class Tally:
    """The totals of a rule; `returned` is in GPU minutes."""

    ended: int = 0
    at_work: int = 0
    soon: int = 0
    returned: float = 0.0


def measure(context: Context) -> Report:
    """Replay the week under each rule, and time our policy preview."""
    report = Report()
    sessions = list(week(context.rounds(SESSIONS, 40)))
    unused = sum(s.milli / 1000 * sum(not m.used for m in s.minutes) for s in sessions)
    table = report.table(
        f"timeout {TIMEOUT} min, {len(sessions)} sessions",
        "",
        "ended",
        "while at work",
        "used again within 1 h",
        "GPU hours given back",
        "of those unused",
    )
    tallies = {name: _tally(sessions, rule) for name, rule in RULES.items()}
    for name, tally in tallies.items():
        table.add(
            name,
            f"{tally.ended:,}",
            f"{tally.at_work:,}",
            f"{tally.soon:,}",
            f"{tally.returned / 60:,.0f}",
            f"{tally.returned / unused:.0%}",
        )
    ours = tallies["jupyter_gpuquota"]
    others = [tally for name, tally in tallies.items() if name != "jupyter_gpuquota"]
    _judge(report, ours, others)
    recorded = [stretch for session in sessions for stretch in _stretches(session)]
    preview = in_turn(3, {"preview": lambda: _time(recorded)})["preview"]
    table.note(f"A preview of our rule over this week takes {preview.median:.1f} s.")
    return report


def _judge(report: Report, ours: Tally, others: list[Tally]) -> None:
    report.judge(
        "sessions that our rule ends while at work", f"{ours.at_work}", "0", met=not ours.at_work
    )
    ratio = ours.returned / max(tally.returned for tally in others)
    report.judge(
        "GPU hours given back, of the better of the others",
        f"{ratio:.0%}",
        "at least 100%",
        met=ratio >= 1,
    )


def _time(recorded: list[Stretch]) -> float:
    begin = perf_counter()
    ended(recorded, _POLICY, [])
    return perf_counter() - begin


def _tally(sessions: list[Session], rule: Rule) -> Tally:
    tally = Tally()
    for session in sessions:
        for at in rule(session):
            again = _next_use(session, at)
            tally.ended += 1
            tally.at_work += session.minutes[at].used
            tally.soon += not session.minutes[at].used and again - at <= ALARM and again < WEEK
            tally.returned += session.milli / 1000 * (again - at)
    return tally


def _next_use(session: Session, at: int) -> int:
    return next((i for i in range(at, WEEK) if session.minutes[i].used), WEEK)


def _by_activity(is_active: Callable[[Minute], bool]) -> Rule:
    """Return a rule that ends sessions without activity for the timeout."""

    def rule(session: Session) -> Iterator[int]:
        last, asleep = 0, False
        for i, minute in enumerate(session.minutes):
            if is_active(minute) or (asleep and minute.used):
                last, asleep = i, False
            elif not asleep and i - last >= TIMEOUT:
                asleep = True
                yield i

    return rule


def _kubeflow(session: Session) -> Iterator[int]:
    """Apply Kubeflow's rule, by kernels alone: a session without kernels ages out."""
    return _by_activity(lambda m: session.kernels and (m.busy or m.moved))(session)


def _ours(session: Session) -> Iterator[int]:
    """Replay the activity that would have been recorded."""
    begin = 0
    while (end := end_of(_stretches(session, begin), _ruling)) is not None:
        at = int(end.timestamp()) // 60
        yield at
        begin = _next_use(session, at)


def _stretches(session: Session, begin: int = 0) -> Iterator[Stretch]:
    subject = Subject(session.name, "ana", "team-a", "interactive")
    for idle, own in groupby(session.minutes[begin:], key=_is_idle):
        end = begin + len(list(own))
        yield Stretch(subject, begin * 60, end * 60, idle)
        begin = end


def _is_idle(minute: Minute) -> bool:
    return not (minute.busy or minute.terminal or minute.cpu or minute.person)


_POLICY = check_policy(
    msgspec.convert(
        {"levels": [{"level": "everyone", "rules": {"idle_timeout": TIMEOUT * 60}}]}, PolicyRequest
    ),
    [],
)


def _ruling(subject: Subject, now: datetime) -> Ruling:
    return rule_for(_POLICY, subject, None, now)


RULES: dict[str, Rule] = {
    "jupyter_gpuquota": _ours,
    "JupyterHub's idle culler": _by_activity(lambda m: m.tab or m.moved or m.terminal),
    "Kubeflow Notebooks": _kubeflow,
}
