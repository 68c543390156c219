"""The effect of a policy on the recorded week."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from ...model.policy_trial import PolicyTrial, TrialAct, TrialSoon, TrialSum
from ...model.resources import gpus_text
from .markup import Markup, join, tag
from .view import Column, Row, View, clock_text, html_table, minute_text, text_table

_SHOWN = 20
"""The number of actions in the table; `records` has all."""


class TrialView(View[PolicyTrial]):
    """Sessions that the policy would have ended; `names` maps their ids to names."""

    def __init__(self, data: PolicyTrial, names: Mapping[str, str]) -> None:
        super().__init__(data)
        self._names = names

    @property
    def text(self) -> str:
        """Return the summary, a table of projects, and the newest actions."""
        parts = [self.data.message]
        if self.data.soon:
            parts += ["", text_table(self._soon(), self.data.soon)]
        if self.data.projects:
            parts += ["", text_table(_SUMS, self.data.projects)]
        if self.data.acts:
            parts += ["", text_table(self._acts(), self.data.acts[:_SHOWN])]
        return "\n".join([*parts, *self._more])

    @property
    def body(self) -> Markup:
        """Return the same as HTML."""
        parts = [tag("p", self.data.message)]
        if self.data.soon:
            parts.append(html_table(self._soon(), self.data.soon, "Within an hour"))
        if self.data.projects:
            parts.append(html_table(_SUMS, self.data.projects, "Projects"))
        if self.data.acts:
            parts.append(html_table(self._acts(), self.data.acts[:_SHOWN], "Actions, newest first"))
        return join(*parts, *(tag("p", text) for text in self._more))

    @property
    def records(self) -> list[Row]:
        """Return a row for each action, newest first; GPU hours are numbers."""
        return [
            {
                "at": act.at,
                "session": self._name(act),
                "project": act.project,
                "user": act.user,
                "rule": act.rule,
                "action": act.action,
                "gpu_hours": act.returned / 1000,
                "again": act.again,
                "false_alarm": act.false_alarm,
            }
            for act in self.data.acts
        ]

    @property
    def _more(self) -> list[str]:
        left = self.data.count - min(len(self.data.acts), _SHOWN)
        return [f"… and {left} earlier."] if left > 0 else []

    def _name(self, act: TrialAct | TrialSoon) -> str:
        return self._names.get(act.session, act.session)

    def _soon(self) -> list[Column[TrialSoon]]:
        return [
            Column("WITHIN AN HOUR", self._name, whole=True),
            Column("PROJECT", lambda each: each.project),
            Column("USER", lambda each: each.user),
            Column("WARNED", lambda each: _clock(each.warned)),
            Column("ACTION", lambda each: _change(*_actions(each))),
        ]

    def _acts(self) -> list[Column[TrialAct]]:
        return [
            Column("AT", lambda act: minute_text(act.at), whole=True),
            Column("SESSION", self._name, whole=True),
            Column("PROJECT", lambda act: act.project),
            Column("USER", lambda act: act.user),
            Column("RULE", lambda act: act.rule),
            Column("ACTION", lambda act: act.action),
            Column("GPU HOURS FREED", lambda act: gpus_text(act.returned)),
            Column("USED AGAIN", _again),
        ]


def _actions(soon: TrialSoon) -> tuple[str, str]:
    """Return what the present policy does and what the tried one would do: `suspend 14:05 UTC`."""
    before = f"{soon.action_before or 'none'} {_clock(soon.at_before)}"
    return before.rstrip(), f"{soon.action or 'none'} {_clock(soon.at)}".rstrip()


def _clock(time: datetime | None) -> str:
    return clock_text(time) if time else ""


def _again(act: TrialAct) -> str:
    if act.again is None:
        return ""
    return f"{minute_text(act.again)}{' (premature)' if act.false_alarm else ''}"


def _change(before: str, after: str) -> str:
    return after if before == after else f"{before} → {after}"


_SUMS: list[Column[TrialSum]] = [
    Column("PROJECT", lambda p: p.project, whole=True),
    Column("ACTIONS", lambda p: _change(str(p.acts_before), str(p.acts))),
    Column("PREMATURE", lambda p: _change(str(p.false_alarms_before), str(p.false_alarms))),
    Column(
        "GPU HOURS FREED",
        lambda p: _change(gpus_text(p.returned_before), gpus_text(p.returned)),
    ),
]
