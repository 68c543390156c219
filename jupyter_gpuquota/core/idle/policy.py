"""The effective policy of a session, and the level that decided each rule.

Levels, weakest first: built-in, everyone, the project, the kind, the session's own request. The
strongest level that sets a rule decides. A session may request an idle timeout only, within the
bounds that the levels below allow.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from ...model.messages.idle_words import rule_text
from ...model.policy import (
    RULES,
    DecidedRule,
    Exemption,
    IdleAction,
    Policy,
    PolicyRules,
    RuleName,
    life_rule,
)
from ...model.quota import Project
from ...model.sessions import Kind, Session
from ...model.spans import write_span

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
    io_busy=100,
)
"""The default of every rule: idle sessions are never ended."""

NO_POLICY = Policy(built_in=BUILT_IN)
"""The policy until an administrator sets one."""

TIMEOUTS: tuple[tuple[RuleName, RuleName], ...] = (
    ("idle_timeout", "action"),
    ("gpu_idle_timeout", "gpu_idle_action"),
)
"""Each timeout with the rule for what happens then."""

_NEVER = 2**62


@dataclass(frozen=True, slots=True)
class Limits:
    """The effective rules, in the units of `PolicyRules`, with the session's own request."""

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
    io_busy: int


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
    note: str = ""


@dataclass(frozen=True, slots=True)
class Ruling:
    """The effective policy of one session at one time."""

    limits: Limits
    decided: Mapping[RuleName, Decided]
    exempt: Exemption | None = None

    def level(self, rule: RuleName) -> str:
        """Return the level that decided a rule."""
        return self.decided[rule].level

    @property
    def rules(self) -> tuple[DecidedRule, ...]:
        """Return all rules as text."""
        return tuple(
            DecidedRule(
                rule=rule,
                value=rule_text(rule, found.value),
                level=found.level,
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
    if subject.stops:
        action.value, action.level = "stop", "session"
    _shorten_warning(found)
    return Ruling(_limits(found), found, exemption_of(policy, subject, now))


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
            if value is not None or rule not in found:
                found[rule] = Decided(value, level)
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
    least, most = bounds(found)
    granted = min(max(wish or _NEVER, least), most or _NEVER)
    decided.value, decided.level = 0 if granted == _NEVER else granted, "session"
    if granted != (wish or _NEVER):
        bound: RuleName = "idle_timeout_min" if granted == least else most_of(found)
        decided.level = usual if bound == "idle_timeout" else found[bound].level
        decided.note = f"The session requested {wanted}, which {bound} does not allow."


def _shorten_warning(found: Mapping[RuleName, Decided]) -> None:
    """Let the built-in warning come after half of the shortest timeout that ends sessions.

    What nobody has set must not contradict what an administrator sets.
    """
    warning = found["warn_before"]
    if warning.level != "built-in":
        return
    most = [found[rule].value // 2 for rule, by in TIMEOUTS if found[by].value != "notify"]
    most += [found["keep_alive"].value] if found["keep_alives"].value else []
    warning.value = min([warning.value, *filter(None, most)])


def _limits(found: Mapping[RuleName, Decided]) -> Limits:
    return Limits(**{name: found[cast("RuleName", name)].value for name in Limits.__slots__})
