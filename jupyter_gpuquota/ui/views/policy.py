"""The policy for idle sessions: its levels, and its effect on a session."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from ...model.idleness import Activity
from ...model.messages.idle_words import rule_text
from ...model.policy import (
    RULES,
    DecidedRule,
    Exemption,
    Policy,
    PolicyLevel,
    PolicyRules,
    RuleName,
    SessionPolicy,
)
from ...model.sessions import Session
from .idle import idle_text, life_text, signals_html, signals_text
from .markup import Markup, join, printable, tag
from .sessions import status_text
from .view import Column, Row, View, html_table, minute_text, text_table


class PolicyView(View[Policy]):
    """The policy, with a column for each level; `names` maps ids of sessions to their names.

    `warnings` are for administrators, for example that the quota file cannot be used.
    """

    def __init__(
        self,
        data: Policy,
        names: Mapping[str, str],
        now: datetime,
        warnings: Sequence[str] = (),
    ) -> None:
        super().__init__(data)
        self._warnings = warnings
        self._names = names
        self._now = now

    @property
    def text(self) -> str:
        """Return tables of levels and exemptions."""
        parts = [text_table(self._columns(), RULES)]
        if self.data.exemptions:
            parts += ["", text_table(self._exemptions(), self.data.exemptions)]
        if self._warnings:
            parts += ["", *self._warnings]
        return "\n".join(parts)

    @property
    def body(self) -> Markup:
        """Return the same as HTML."""
        parts = [html_table(self._columns(), RULES, "Policy")]
        if self.data.exemptions:
            parts.append(html_table(self._exemptions(), self.data.exemptions, "Exemptions"))
        return join(*parts, *(tag("p", text) for text in self._warnings))

    @property
    def records(self) -> list[Row]:
        """Return a row for each rule of each level, weakest level first."""
        return [
            {
                "level": level.level,
                "rule": rule,
                "value": rule_text(rule, getattr(level.rules, rule)),
            }
            for level in self._levels
            for rule in RULES
            if getattr(level.rules, rule) is not None
        ]

    @property
    def _levels(self) -> Sequence[PolicyLevel]:
        return (PolicyLevel(level="built-in", rules=self.data.built_in), *self.data.levels)

    def _columns(self) -> list[Column[RuleName]]:
        return [Column("RULE", str, whole=True), *map(_column, self._levels)]

    def _exemptions(self) -> list[Column[Exemption]]:
        return [
            Column("EXEMPT", lambda e: who_text(e.who, self._names), whole=True),
            Column("UNTIL", lambda e: _until(e, self._now), whole=True),
            Column("REASON", lambda e: e.reason),
        ]


class ExplainView(View[SessionPolicy]):
    """The effective policy of a session, the levels that set it, and the session's activity.

    `activity` is None for a session that is not running.
    """

    def __init__(
        self, data: SessionPolicy, session: Session, activity: Activity | None, now: datetime
    ) -> None:
        super().__init__(data)
        self._session = session
        self._activity = activity
        self._now = max(now, activity.at) if activity else now  # its clock may be ahead

    @property
    def document(self) -> dict[str, Any]:
        """Return both answers of REST."""
        return {"policy": self.data, "activity": self._activity}

    @property
    def text(self) -> str:
        """Return the rules, the signals and the outcome."""
        parts = [text_table(_DECIDED, self.data.rules), ""]
        if self._activity:
            parts += [signals_text(self._activity), ""]
        return "\n".join([*parts, *map(printable, self._notes)])

    @property
    def body(self) -> Markup:
        """Return the same as HTML."""
        seen = signals_html(self._activity) if self._activity else Markup()
        lines = (tag("p", line) for line in self._notes)
        return join(html_table(_DECIDED, self.data.rules, "Policy"), seen, *lines)

    @property
    def records(self) -> list[Row]:
        """Return a row for each rule."""
        return [
            {
                "rule": rule.rule,
                "value": rule.value,
                "level": rule.level,
                "note": rule.note,
            }
            for rule in self.data.rules
        ]

    @property
    def _notes(self) -> list[str]:
        name, exempt = self._session.spec.name, self.data.exempt
        lines = []
        if exempt:
            until = minute_text(exempt.until)
            lines.append(f"{name} is exempt until {until}: {exempt.reason}")
        if self._activity is None:
            status = status_text(self._session)
            return [*lines, f"{name} is {status}. Only running sessions have activity."]
        idle = idle_text(self._session, self._now, self._activity)
        if idle or self._activity.looked:
            lines.append(f"{name}: {idle or 'active'}.")
        life = life_text(self._session, self._now)
        return [*lines, *([f"{name} ends {life}."] if life else [])]


def difference(before: Policy, after: Policy) -> str:
    """Return the differences between two policies."""
    old, new = ({level.level: level.rules for level in p.levels} for p in (before, after))
    lines = []
    for level in dict.fromkeys((*old, *new)):
        one, other = old.get(level, PolicyRules()), new.get(level, PolicyRules())
        lines += [
            f"{level} {rule} {_value(one, rule) or 'unset'} → {_value(other, rule) or 'unset'}"
            for rule in RULES
            if _value(one, rule) != _value(other, rule)
        ]
    gone = [e for e in before.exemptions if e not in after.exemptions]
    came = [e for e in after.exemptions if e not in before.exemptions]
    lines += [f"{e.who} is no longer exempt" for e in gone if e.who not in {c.who for c in came}]
    lines += [f"{e.who} is exempt until {minute_text(e.until)}: {e.reason}" for e in came]
    return ", ".join(lines)


def who_text(who: str, names: Mapping[str, str]) -> str:
    """Return the subject of an exemption; a session by its name."""
    sort, _, name = who.partition(":")
    return f"session:{names.get(name, name)}" if sort == "session" else who


def _until(exemption: Exemption, now: datetime) -> str:
    over = " (expired)" if exemption.until <= now else ""
    return f"{minute_text(exemption.until)}{over}"


def _column(level: PolicyLevel) -> Column[RuleName]:
    return Column(level.level, lambda rule: _value(level.rules, rule))


def _value(rules: PolicyRules, rule: RuleName) -> str:
    value = getattr(rules, rule)
    return "" if value is None else rule_text(rule, value)


_DECIDED: list[Column[DecidedRule]] = [
    Column("RULE", lambda rule: rule.rule, whole=True),
    Column("VALUE", lambda rule: rule.value),
    Column("SET BY", lambda rule: rule.level),
    Column("NOTE", lambda rule: rule.note),
]
