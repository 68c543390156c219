"""What admins decide of idle sessions: rules, the levels that set them, and what they come to."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, get_args

from .base import UNCHANGED, Model, Number, Open, Request

IdleAction = Literal["suspend", "stop", "notify"]
Day = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
RuleName = Literal[
    "idle_timeout",
    "idle_timeout_min",
    "idle_timeout_max",
    "gpu_idle_timeout",
    "gpu_idle_action",
    "warn_before",
    "action",
    "grace",
    "interactive_life",
    "train_life",
    "keep_alive",
    "keep_alives",
    "cpu_busy",
    "gpu_busy",
    "quiet_hours",
]

DAYS: tuple[Day, ...] = get_args(Day)
RULES: tuple[RuleName, ...] = get_args(RuleName)
SPANS: frozenset[RuleName] = frozenset(
    {
        "idle_timeout",
        "idle_timeout_min",
        "idle_timeout_max",
        "gpu_idle_timeout",
        "warn_before",
        "grace",
        "interactive_life",
        "train_life",
        "keep_alive",
    }
)
"""Rules that are lengths of time."""


class QuietHours(Model, frozen=True, kw_only=True):
    """Be hours in which idle sessions are acted on sooner.

    `begin` and `end` are minutes since midnight on a clock of the time `zone` (an IANA name);
    with `end` at or before `begin` they last over midnight. `days` are those on which they begin,
    empty for all. `idle_timeout` is seconds, at least 1.
    """

    days: tuple[Open[Day], ...]
    begin: int
    end: int
    zone: str
    idle_timeout: int


class PolicyRules(Model, frozen=True, kw_only=True):
    """Be the rules that one level sets; what is None is left to the weaker levels.

    Times are seconds. `idle_timeout` (0: never) is after how long without any activity the
    `action` is taken, `warn_before` how long before that the owner is told; a session's own wish
    lies between `idle_timeout_min` and `idle_timeout_max`. `gpu_idle_timeout` (0: never) and
    `gpu_idle_action` are for a session that works, but not on the GPU that it holds. `grace` is
    what a session has to save and end by itself. `interactive_life` and `train_life` bound how
    long a session runs (0: no end). A user may keep a session alive for `keep_alive` seconds, at
    most `keep_alives` times before it must be used again. Up to `cpu_busy` per cent of one core
    and `gpu_busy` per cent of its GPUs a session counts as idle. `locked` names rules that no
    stronger level may set.
    """

    idle_timeout: int | None = None
    idle_timeout_min: int | None = None
    idle_timeout_max: int | None = None
    gpu_idle_timeout: int | None = None
    gpu_idle_action: Open[IdleAction] | None = None
    warn_before: int | None = None
    action: Open[IdleAction] | None = None
    grace: int | None = None
    interactive_life: int | None = None
    train_life: int | None = None
    keep_alive: int | None = None
    keep_alives: int | None = None
    cpu_busy: int | None = None
    gpu_busy: int | None = None
    quiet_hours: tuple[QuietHours, ...] | None = None
    locked: tuple[Open[RuleName], ...] = ()


class PolicyLevel(Model, frozen=True, kw_only=True):
    """Be one level: `everyone`, `project:NAME` or `kind:KIND`, weakest first."""

    level: str
    rules: PolicyRules


class Exemption(Model, frozen=True, kw_only=True):
    """Except sessions from being acted on until a time, for a reason.

    `who` is `session:ID`, `user:NAME` or `project:NAME`.
    """

    who: str
    until: datetime
    reason: str


class Policy(Model, frozen=True, kw_only=True):
    """All that is set, and the `built_in` rules below it.

    `revision` is another one after every change.
    """

    levels: tuple[PolicyLevel, ...] = ()
    exemptions: tuple[Exemption, ...] = ()
    built_in: PolicyRules = PolicyRules()
    revision: str = UNCHANGED


class QuietHoursRequest(Request, frozen=True, kw_only=True):
    """Ask for quiet hours: `begin` and `end` as `22:00`, `days` as `mon` or `sat`."""

    begin: str
    end: str
    zone: str
    idle_timeout: Number
    days: tuple[str, ...] = ()


class PolicyRulesRequest(Request, frozen=True, kw_only=True):
    """Ask for the rules of a level, in the words an admin types: see `PolicyRules`.

    Lengths of time are seconds or `30m`, `8h`; what is None is left to the weaker levels.
    """

    idle_timeout: Number | None = None
    idle_timeout_min: Number | None = None
    idle_timeout_max: Number | None = None
    gpu_idle_timeout: Number | None = None
    gpu_idle_action: str | None = None
    warn_before: Number | None = None
    action: str | None = None
    grace: Number | None = None
    interactive_life: Number | None = None
    train_life: Number | None = None
    keep_alive: Number | None = None
    keep_alives: Number | None = None
    cpu_busy: Number | None = None
    gpu_busy: Number | None = None
    quiet_hours: tuple[QuietHoursRequest, ...] | None = None
    locked: tuple[str, ...] = ()


class PolicyLevelRequest(Request, frozen=True, kw_only=True):
    """Ask for a level: `everyone`, `project:NAME` or `kind:KIND`."""

    level: str
    rules: PolicyRulesRequest = PolicyRulesRequest()


class ExemptionRequest(Request, frozen=True, kw_only=True):
    """Ask for an exemption; `until` is a time with its zone, as in ISO 8601.

    `who` is `user:NAME`, `project:NAME` or `session:`, with the session's name, `project/name` or
    id; it is kept by its id. Who is excepted already gets the new exemption instead.
    """

    who: str
    until: str
    reason: str


class PolicyRequest(Request, frozen=True, kw_only=True):
    """Ask for the policy as it is to be; `revision` is that of the policy read."""

    levels: tuple[PolicyLevelRequest, ...] = ()
    exemptions: tuple[ExemptionRequest, ...] = ()
    revision: str = ""


class DecidedRule(Model, frozen=True, kw_only=True):
    """Say what one rule comes to for a session, and which level decided it.

    `value` is written as an admin types it. `level` is `built-in`, `everyone`, `project:NAME`,
    `kind:KIND` or `session`. `note` says what else has to be known: that quiet hours hold now, or
    that a wish was not granted in full.
    """

    rule: Open[RuleName]
    value: str
    level: str
    locked: bool = False
    note: str = ""


class SessionPolicy(Model, frozen=True, kw_only=True):
    """Say what the policy comes to for one session; `exempt` is the exemption that it has."""

    session: str
    rules: tuple[DecidedRule, ...]
    exempt: Exemption | None = None


def request_of(policy: Policy) -> PolicyRequest:
    """Return the request that asks for a policy as it is, to be changed in part."""
    return PolicyRequest(
        levels=tuple(
            PolicyLevelRequest(level=each.level, rules=_rules_request(each.rules))
            for each in policy.levels
        ),
        exemptions=tuple(
            ExemptionRequest(who=each.who, until=each.until.isoformat(), reason=each.reason)
            for each in policy.exemptions
        ),
        revision=policy.revision,
    )


def life_rule(kind: str) -> RuleName:
    """Name the rule that bounds how long sessions of a kind run."""
    return "train_life" if kind == "train" else "interactive_life"


def clock_text(minutes: int) -> str:
    """Write minutes since midnight as a clock shows them."""
    return f"{minutes // 60:02}:{minutes % 60:02}"


def _rules_request(rules: PolicyRules) -> PolicyRulesRequest:
    plain = {rule: getattr(rules, rule) for rule in RULES if rule != "quiet_hours"}
    hours = rules.quiet_hours
    return PolicyRulesRequest(
        **plain,
        quiet_hours=None if hours is None else tuple(map(_quiet_request, hours)),
        locked=rules.locked,
    )


def _quiet_request(hours: QuietHours) -> QuietHoursRequest:
    return QuietHoursRequest(
        begin=clock_text(hours.begin),
        end=clock_text(hours.end),
        zone=hours.zone,
        idle_timeout=hours.idle_timeout,
        days=hours.days,
    )
