"""The idle policy: rules, the levels that set them, and their effect on a session."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, get_args

from .struct import UNCHANGED, Model, Number, Open, Request

IdleAction = Literal["suspend", "stop", "notify"]
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
    "io_busy",
]

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
"""Rules that are durations."""


class PolicyRules(Model, frozen=True, kw_only=True):
    """The rules of one level; None leaves a rule to the weaker levels.

    Times are seconds. After `idle_timeout` (0: never) without any activity the `action` is taken,
    `warn_before` seconds after a warning; a session may request a timeout between
    `idle_timeout_min` and `idle_timeout_max`. `gpu_idle_timeout` (0: never) and `gpu_idle_action`
    are for a session that is active but does not use its GPU. `grace` is the time to save and exit.
    `interactive_life` and `train_life` are maximum run times (0: none). A user may extend a session
    by `keep_alive` seconds, at most `keep_alives` times between uses. Up to `cpu_busy` per cent of
    one core, `gpu_busy` per cent of its GPUs, and `io_busy` bytes per second to and from disks and
    the network, a session counts as idle.
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
    io_busy: int | None = None


class PolicyLevel(Model, frozen=True, kw_only=True):
    """One level: `everyone`, `project:NAME` or `kind:KIND`, weakest first."""

    level: str
    rules: PolicyRules


class Exemption(Model, frozen=True, kw_only=True):
    """Sessions that are not ended until a time, with a reason.

    `who` is `session:ID`, `user:NAME` or `project:NAME`.
    """

    who: str
    until: datetime
    reason: str


class Policy(Model, frozen=True, kw_only=True):
    """All levels and exemptions, and the `built_in` rules below them.

    `revision` changes with every change.
    """

    levels: tuple[PolicyLevel, ...] = ()
    exemptions: tuple[Exemption, ...] = ()
    built_in: PolicyRules = PolicyRules()
    revision: str = UNCHANGED


class PolicyRulesRequest(Request, frozen=True, kw_only=True):
    """Request for the rules of a level, as an administrator types them: see `PolicyRules`.

    Durations are seconds or `30m`, `8 hours`; None leaves a rule to the weaker levels.
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
    io_busy: Number | None = None


class PolicyLevelRequest(Request, frozen=True, kw_only=True):
    """Request for a level: `everyone`, `project:NAME` or `kind:KIND`."""

    level: str
    rules: PolicyRulesRequest = PolicyRulesRequest()


class ExemptionRequest(Request, frozen=True, kw_only=True):
    """Request for an exemption; `until` is a time with its zone (ISO 8601), or a duration: `3d`.

    `who` is `user:NAME`, `project:NAME` or `session:` with the session's name, `project/name` or
    id; the id is stored. It replaces an existing exemption.
    """

    who: str
    until: str
    reason: str


class PolicyRequest(Request, frozen=True, kw_only=True):
    """Request for the whole policy; `revision` is that of the policy it is based on."""

    levels: tuple[PolicyLevelRequest, ...] = ()
    exemptions: tuple[ExemptionRequest, ...] = ()
    revision: str = ""


class DecidedRule(Model, frozen=True, kw_only=True):
    """The effective value of one rule for a session, and the level that decided it.

    `value` is written as an administrator types it. `level` is `built-in`, `everyone`,
    `project:NAME`, `kind:KIND` or `session`. `note` says that the session's own request was not
    granted in full.
    """

    rule: Open[RuleName]
    value: str
    level: str
    note: str = ""


class SessionPolicy(Model, frozen=True, kw_only=True):
    """The effective policy of one session; `exempt` is its exemption."""

    session: str
    rules: tuple[DecidedRule, ...]
    exempt: Exemption | None = None


def request_of(policy: Policy) -> PolicyRequest:
    """Return the request for an existing policy, to be changed in part."""
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
    """Return the rule that limits the run time of a kind of session."""
    return "train_life" if kind == "train" else "interactive_life"


def _rules_request(rules: PolicyRules) -> PolicyRulesRequest:
    return PolicyRulesRequest(**{rule: getattr(rules, rule) for rule in RULES})
