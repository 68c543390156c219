"""The effective policy of a session, and the level that decided each rule.

Levels, weakest first: built-in, everyone, the project, the kind, the session's own request. A
stronger level wins unless a weaker one has locked the rule. A session may request an idle timeout
only, within the bounds that the levels below allow.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, cast

from ...model.idleness import IdleRule
from ...model.messages.idle_words import rule_text
from ...model.policy import (
    RULES,
    DecidedRule,
    Exemption,
    IdleAction,
    Policy,
    PolicyRules,
    QuietHours,
    RuleName,
    life_rule,
)
from ...model.quota import Project
from ...model.sessions import Kind, Session
from ...model.spans import write_span
from . import quiet_hours

BUILT_IN = PolicyRules(
    idle_timeout=0,
    idle_timeout_min=60,
    gpu_idle_timeout=0,
    gpu_idle_action="notify",
    warn_before=600,
    action="suspend",
    grace=60,
    interactive_life=0,
    train_life=0,
    keep_alive=3600,
    keep_alives=3,
    cpu_busy=5,
    gpu_busy=1,
    quiet_hours=(),
)
"""The default of every rule: idle sessions are never ended."""

NO_POLICY = Policy(built_in=BUILT_IN)
"""The policy until an administrator sets one."""

_NEVER = 2**62


@dataclass(frozen=True, slots=True)
class Limits:
    """The effective rules, in the units of `PolicyRules`.

    `idle_timeout` is the present one, with quiet hours and the session's own request.
    """

    idle_timeout: int
    gpu_idle_timeout: int
    gpu_idle_action: IdleAction
    warn_before: int
    action: IdleAction
    grace: int
    keep_alive: int
    keep_alives: int
    cpu_busy: int
    gpu_busy: int


@dataclass(frozen=True, slots=True)
class Subject:
    """What a policy needs to know of a session.

    `wish`, its own idle timeout, is in seconds; `stops` is whether it is to be stopped after that.
    """

    session: str
    owner: str
    project: str
    kind: Kind
    wish: int | None = None
    stops: bool = False

    @property
    def names(self) -> frozenset[str]:
        """Return the names by which an exemption may refer to it."""
        return frozenset(
            {f"session:{self.session}", f"user:{self.owner}", f"project:{self.project}"}
        )


@dataclass(slots=True)
class Decided:
    """The value of a rule and the level that decided it."""

    value: Any
    level: str
    locked: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True)
class Ruling:
    """The effective policy of one session at one time."""

    limits: Limits
    decided: Mapping[RuleName, Decided]
    exempt: Exemption | None = None
    usual: int = 0
    """The idle timeout outside quiet hours, in seconds; 0 for never."""

    def level(self, rule: RuleName) -> str:
        """Return the level that decided a rule."""
        return self.decided[rule].level

    def due(self, since: datetime, now: datetime) -> tuple[datetime, IdleRule] | None:
        """Return when a session that is idle since a time is ended, by which rule; None for never.

        Quiet hours that have not begun are taken into account, so that announced times hold.
        """
        timeout = self.limits.idle_timeout
        past: IdleRule = "idle_timeout" if timeout == self.usual else "quiet_hours"
        if timeout and since + timedelta(seconds=timeout) <= now:
            return since + timedelta(seconds=timeout), past
        hours: tuple[QuietHours, ...] = self.decided["quiet_hours"].value
        found: list[tuple[datetime, IdleRule]] = [
            (quiet_hours.due(each, since, now), "quiet_hours") for each in hours
        ]
        if self.usual:
            found.insert(0, (since + timedelta(seconds=self.usual), "idle_timeout"))
        return min(found, key=lambda each: each[0], default=None)

    @property
    def rules(self) -> tuple[DecidedRule, ...]:
        """Return all rules as text."""
        return tuple(
            DecidedRule(
                rule=rule,
                value=rule_text(rule, found.value),
                level=found.level,
                locked=found.locked,
                note=found.note,
            )
            for rule, found in self.decided.items()
        )


def subject_of(session: Session) -> Subject:
    """Return what a policy needs to know of a session."""
    spec = session.spec
    wish, stops = spec.idle_timeout, spec.stop_when_idle
    return Subject(session.id, session.owner, spec.project, spec.kind, wish, stops)


def rule_for(policy: Policy, subject: Subject, project: Project | None, now: datetime) -> Ruling:
    """Return the effective policy of a session; `project` is its own, None if unknown."""
    found = layered(policy, subject.project, subject.kind, project)
    _wish(found["idle_timeout"], subject.wish, found)
    action = found["action"]
    if subject.stops and not action.locked:
        action.value, action.level = "stop", "session"
    rules, usual = _with_quiet(found, now), found["idle_timeout"].value
    return Ruling(_limits(rules), rules, exemption_of(policy, subject, now), usual)


def life_of(policy: Policy, session: Session, project: Project | None) -> Decided:
    """Return the maximum run time of a session in seconds (0: none) and its level."""
    return life_in(policy, session.spec.project, session.spec.kind, project)


def life_in(policy: Policy, name: str, kind: Kind, project: Project | None) -> Decided:
    """Return the maximum run time of a kind of session in the project of a name."""
    rule = life_rule(kind)
    return layered(policy, name, kind, project, (rule,))[rule]


def layered(
    policy: Policy,
    project: str,
    kind: Kind,
    settings: Project | None = None,
    asked: Sequence[RuleName] = RULES,
) -> dict[RuleName, Decided]:
    """Return the value and the deciding level of each requested rule."""
    found: dict[RuleName, Decided] = {}
    for level, rules in _levels(policy, project, kind, settings):
        for rule in asked:
            value = getattr(rules, rule)
            before = found.setdefault(rule, Decided(None, "built-in"))
            if value is not None and not before.locked:
                found[rule] = Decided(value, level)
            if rule in rules.locked:
                found[rule].locked = True
    return found


def exemption_of(policy: Policy, subject: Subject, now: datetime) -> Exemption | None:
    """Return the current exemption of a session that lasts longest, None if it has none."""
    own = [e for e in policy.exemptions if e.who in subject.names and e.until > now]
    return max(own, key=lambda exemption: exemption.until, default=None)


def bounds(found: Mapping[RuleName, Decided]) -> tuple[int, int]:
    """Return the bounds of the idle timeout that a session may request, in seconds; 0: none.

    Without a maximum it is the idle timeout itself: a request can only shorten it.
    """
    most = found["idle_timeout_max"].value
    return found["idle_timeout_min"].value, found["idle_timeout"].value if most is None else most


def most_of(found: Mapping[RuleName, Decided]) -> RuleName:
    """Return the rule that sets the longest idle timeout that a session may request."""
    return "idle_timeout" if found["idle_timeout_max"].value is None else "idle_timeout_max"


def _levels(
    policy: Policy, project: str, kind: Kind, settings: Project | None
) -> Iterator[tuple[str, PolicyRules]]:
    yield "built-in", BUILT_IN
    own = {level.level: level.rules for level in policy.levels}
    for name in ("everyone", f"project:{project}", f"kind:{kind}"):
        if name.startswith("project:") and settings and settings.interactive_duration:
            # The project's own setting is older than policies, which therefore override it.
            yield name, PolicyRules(interactive_life=settings.interactive_duration)
        if name in own:
            yield name, own[name]


def _wish(decided: Decided, wish: int | None, found: dict[RuleName, Decided]) -> None:
    """Apply the idle timeout that a session requests, within the bounds of the levels."""
    if wish is None:
        return
    wanted, usual = write_span(wish) if wish else "never", decided.level
    if decided.locked:
        decided.note = f"The session requested {wanted}; {decided.level} has locked this rule."
        return
    least, most = bounds(found)
    granted = min(max(wish or _NEVER, least), most or _NEVER)
    decided.value, decided.level = 0 if granted == _NEVER else granted, "session"
    if granted != (wish or _NEVER):
        bound: RuleName = "idle_timeout_min" if granted == least else most_of(found)
        decided.level = usual if bound == "idle_timeout" else found[bound].level
        decided.note = f"The session requested {wanted}, which {bound} does not allow."


def _with_quiet(found: Mapping[RuleName, Decided], now: datetime) -> dict[RuleName, Decided]:
    """Return the present rules: quiet hours may shorten the idle timeout."""
    hours: tuple[QuietHours, ...] = found["quiet_hours"].value
    idle, usual = found["idle_timeout"], found["idle_timeout"].value
    soonest = min((held.idle_timeout for held in quiet_hours.active(hours, now)), default=_NEVER)
    if soonest >= (usual or _NEVER):
        return dict(found)
    note = f"Quiet hours are active; otherwise it is {rule_text('idle_timeout', usual)}."
    sooner = Decided(soonest, found["quiet_hours"].level, idle.locked, note)
    return {**found, "idle_timeout": sooner}


def _limits(found: Mapping[RuleName, Decided]) -> Limits:
    return Limits(**{name: found[cast("RuleName", name)].value for name in Limits.__slots__})
