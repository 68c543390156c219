"""The words for idleness and policies: the same in every reason, table and message."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..idleness import Idleness, Signal
from ..policy import SPANS, RuleName
from ..spans import write_span

_NOUNS: dict[str, str] = {
    "kernels": "kernel",
    "terminals": "terminal",
    "presence": "user",
    "cpu": "CPU",
    "io": "I/O",
    "gpu": "GPU",
    "process": "process",
}


def rule_text(rule: RuleName, value: Any) -> str:
    """Write a rule's value as an admin types it."""
    if value is None:
        return "same as the idle timeout"
    if rule in SPANS:
        return write_span(value) if value else "never" if rule.endswith("timeout") else "none"
    return str(value)


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
