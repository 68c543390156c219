"""The words for idleness and policies: the same in every reason, table and message."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from ..idleness import Idleness, IdleRule, Signal
from ..policy import SPANS, QuietHours, QuietHoursRequest, RuleName, clock_text
from ..spans import write_span

_HOURS = re.compile(
    r"\s*(?:(?P<days>daily|[a-z,]+)\s+)?(?P<begin>[\d:]+)-(?P<end>[\d:]+)\s+(?P<zone>[^\s:]+)\s*:"
    r"\s*(?P<timeout>\S.*?)\s*"
)
_SCOPES: dict[IdleRule, str] = {
    "idle_timeout": "",
    "gpu_idle_timeout": "",
    "quiet_hours": " for quiet hours",
}
_NOUNS: dict[str, str] = {
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
        return "same as the idle timeout"
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
            raise ValueError(f"{part.strip()!r} is not a valid list of quiet hours.")
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
    """Return what was missing: `no kernel, terminal or GPU activity`."""
    return f"no {activity_text(idle_signals(idle, signals))}"


def idle_signals(idle: Idleness, signals: Iterable[Signal]) -> list[str]:
    """Return the names of the signals that make a session idle."""
    if idle.rule == "gpu_idle_timeout":
        return ["gpu"]
    return [signal.name for signal in signals if signal.state == "idle"]


def activity_text(names: Iterable[str]) -> str:
    """Return the activity of signals: `kernel, terminal or GPU activity`."""
    *head, last = [_NOUNS.get(name, name) for name in names] or [""]
    nouns = f"{', '.join(head)} or {last}" if head else last
    return f"{nouns} activity".lstrip()


def decider(idle: Idleness) -> str:
    """Return whose policy ends a session that is idle, and which part of it."""
    return whose(idle.level) + _SCOPES.get(idle.rule, f" ({idle.rule})")


def whose(level: str) -> str:
    """Return whose policy a level is: `team-a's policy`."""
    sort, _, name = level.partition(":")
    return {
        "everyone": "everyone's policy",
        "project": f"{name}'s policy",
        "kind": f"the policy for {name} sessions",
        "session": "the session's own setting",
        "built-in": "the default policy",
        "": "the default policy",
    }.get(sort, level)
