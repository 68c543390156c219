"""How idleness and the policy are put into words: the same in every reason, table and message."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from .idleness import Idleness, IdleRule, Signal, SignalName
from .policy import SPANS, QuietHours, QuietHoursRequest, RuleName, clock_text
from .spans import write_span

_HOURS = re.compile(
    r"\s*(?:(?P<days>daily|[a-z,]+)\s+)?(?P<begin>[\d:]+)-(?P<end>[\d:]+)\s+(?P<zone>[^\s:]+)\s*:"
    r"\s*(?P<timeout>\S+)\s*"
)
_SCOPES: dict[IdleRule, str] = {
    "idle_timeout": "",
    "gpu_idle_timeout": "",
    "quiet_hours": " for quiet hours",
}
_NOUNS: dict[SignalName, str] = {
    "kernels": "kernel",
    "terminals": "terminal",
    "presence": "user",
    "cpu": "CPU",
    "gpu": "GPU",
    "process": "process",
}


def rule_text(rule: RuleName, value: Any) -> str:
    """Write a rule's value as an admin types it."""
    if value is None:
        return "as idle_timeout"
    if rule == "quiet_hours":
        return "; ".join(map(quiet_text, value)) or "none"
    if rule in SPANS:
        return write_span(value) if value else "never" if rule.endswith("timeout") else "none"
    return str(value)


def quiet_text(hours: QuietHours) -> str:
    """Write quiet hours as one line."""
    days = ",".join(hours.days) or "daily"
    span = f"{clock_text(hours.begin)}-{clock_text(hours.end)}"
    return f"{days} {span} {hours.zone}: {write_span(hours.idle_timeout)}"


def read_quiet(text: str) -> tuple[QuietHoursRequest, ...]:
    """Return the quiet hours of a text as `rule_text` writes it. Raises ValueError."""
    found = []
    for part in text.split(";") if text.strip() != "none" else ():
        match = _HOURS.fullmatch(part)
        if not match:
            raise ValueError(f"{part.strip()!r} are no quiet hours.")
        days = match["days"] or "daily"
        found.append(
            QuietHoursRequest(
                days=() if days == "daily" else tuple(days.split(",")),
                begin=match["begin"],
                end=match["end"],
                zone=match["zone"],
                idle_timeout=match["timeout"],
            )
        )
    return tuple(found)


def quiet_of(idle: Idleness, signals: Iterable[Signal]) -> str:
    """Name what did nothing: `no kernel, terminal or GPU activity`."""
    nouns = [_NOUNS.get(s.name, s.name) for s in signals if s.state == "idle"]
    if idle.rule == "gpu_idle_timeout":
        nouns = ["GPU"]
    if not nouns:
        return "no activity"
    head, last = nouns[:-1], nouns[-1]
    return f"no {', '.join(head)} or {last} activity" if head else f"no {last} activity"


def decider(idle: Idleness, session: str = "the session") -> str:
    """Return whose policy ends a session that is idle, and which part of it."""
    return whose(idle.level, session) + _SCOPES.get(idle.rule, f" ({idle.rule})")


def whose(level: str, session: str = "the session") -> str:
    """Return whose policy a level is: `team-a's policy`; `session` names who wished by itself."""
    sort, _, name = level.partition(":")
    return {
        "everyone": "everyone's policy",
        "project": f"{name}'s policy",
        "kind": f"the policy for {name} sessions",
        "session": f"{session} itself",
        "built-in": "the built-in policy",
        "": "the built-in policy",
    }.get(sort, level)
