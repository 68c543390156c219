"""Compare what two policies would have done over the time that was recorded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from ..model.policy import Policy
from ..model.policytrial import PolicyTrial, TrialAct, TrialSum
from ..model.quota import Project
from ..model.resources import gpus_text
from .idle_week import Stretch, play
from .policy import rule_for

SHOWN = 200
"""How many of the acts are told one by one."""


def compare(
    stretches: Sequence[Stretch],
    before: Policy,
    after: Policy,
    projects: Iterable[Project],
    since: datetime,
    until: datetime,
) -> PolicyTrial:
    """Say what would have been different with another policy."""
    known = {project.name: project for project in projects}
    old, new = (_played(stretches, policy, known) for policy in (before, after))
    sums = _sums(old, new)
    return PolicyTrial(
        message=_said(sums, stretches, old, new),
        since=since,
        until=until,
        sessions=len({s.subject.session for s in stretches}),
        seconds=sum(s.end - s.begin for s in stretches),
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
    """Return what was done to sessions of a project; a notice does nothing to them."""
    return [act for act in acts if act.project == project and act.action != "notify"]


def _alarms(acts: Iterable[TrialAct]) -> int:
    return sum(act.false_alarm for act in acts)


def _returned(acts: Iterable[TrialAct]) -> int:
    return sum(act.returned for act in acts)


def _said(
    sums: Sequence[TrialSum],
    stretches: Sequence[Stretch],
    old: Sequence[TrialAct],
    new: Sequence[TrialAct],
) -> str:
    if not stretches:
        return (
            "Nothing was recorded yet: sessions are looked at while they run, and the last week "
            "is kept."
        )
    if new and old == new:
        return "Nothing would have been different in the recorded week."
    notices = sum(act.action == "notify" for act in new)
    acts, alarms = sum(s.acts for s in sums), sum(s.false_alarms for s in sums)
    returned, before = sum(s.returned for s in sums), sum(s.returned_before for s in sums)
    told = f" Owners would only have been told {_times(notices)}." if notices else ""
    if not acts:
        return f"No session would have been ended.{told}"
    return (
        f"Sessions would have been ended {_times(acts)}, {alarms} of these within an hour of "
        f"being used again; {gpus_text(returned)} GPU hours would have been given back, instead "
        f"of {gpus_text(before)}.{told}"
    )


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"
