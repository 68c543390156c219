"""Compare what two policies would have done over the recorded time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime

from ...model.messages.build import joined, message
from ...model.policy import Policy
from ...model.policy_trial import PolicyTrial, TrialAct, TrialSum
from ...model.quota import Project
from ...model.struct import Message
from .policy import rule_for
from .replay import Stretch, play

SHOWN = 200
"""How many of the acts are listed."""


def compare(
    stretches: Sequence[Stretch],
    before: Policy,
    after: Policy,
    projects: Iterable[Project],
    since: datetime,
    until: datetime,
) -> PolicyTrial:
    """Return what would have been different with another policy."""
    known = {project.name: project for project in projects}
    old, new = (_played(stretches, policy, known) for policy in (before, after))
    sums = _sums(old, new)
    sentences = tuple(_sentences(sums, stretches, old, new))
    return PolicyTrial(
        message=joined(*sentences),
        sentences=sentences,
        since=max(since, _moment(min((s.begin for s in stretches), default=0))),
        until=until,
        sessions=len({s.subject.session for s in stretches}),
        seconds=sum(s.end - s.begin for s in stretches),
        recorded=_covered(stretches),
        projects=sums,
        acts=tuple(new[::-1][:SHOWN]),
        count=len(new),
    )


def _played(
    stretches: Sequence[Stretch], policy: Policy, projects: Mapping[str, Project]
) -> list[TrialAct]:
    return play(stretches, lambda who, now: rule_for(policy, who, projects.get(who.project), now))


def _sums(old: Sequence[TrialAct], new: Sequence[TrialAct]) -> tuple[TrialSum, ...]:
    return tuple(
        TrialSum(
            project=name,
            acts_before=len(was := _of(name, old)),
            acts=len(would := _of(name, new)),
            false_alarms_before=_alarms(was),
            false_alarms=_alarms(would),
            returned_before=_returned(was),
            returned=_returned(would),
        )
        for name in sorted({act.project for act in (*old, *new)})
    )


def _of(project: str, acts: Iterable[TrialAct]) -> list[TrialAct]:
    """Return the acts on sessions of a project; a notice changes nothing."""
    return [act for act in acts if act.project == project and act.action != "notify"]


def _alarms(acts: Iterable[TrialAct]) -> int:
    return sum(act.false_alarm for act in acts)


def _returned(acts: Iterable[TrialAct]) -> int:
    return sum(act.returned for act in acts)


def _sentences(
    sums: Sequence[TrialSum],
    stretches: Sequence[Stretch],
    old: Sequence[TrialAct],
    new: Sequence[TrialAct],
) -> Iterator[Message]:
    if not stretches:
        yield message("trial.empty")
        return
    sessions = len({s.subject.session for s in stretches})
    yield message("trial.based", n=sessions, recorded=_covered(stretches))
    if new and old == new:
        yield message("trial.same")
        return
    ended = sum(s.acts for s in sums)
    if ended:
        yield message(
            "trial.ended",
            n=ended,
            early=sum(s.false_alarms for s in sums),
            freed=_rounded(sum(s.returned for s in sums)),
            before=_rounded(sum(s.returned_before for s in sums)),
        )
    else:
        yield message("trial.none")
    if notices := sum(act.action == "notify" for act in new):
        yield message("trial.notices", n=notices)


def _covered(stretches: Iterable[Stretch]) -> int:
    """Return for how many seconds at least one session was observed."""
    total = last = 0
    for stretch in sorted(stretches, key=lambda s: s.begin):
        total += max(0, stretch.end - max(stretch.begin, last))
        last = max(last, stretch.end)
    return total


def _moment(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def _rounded(milli: int) -> int:
    return round(milli, -1)
