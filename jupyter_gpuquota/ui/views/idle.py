"""How long a session is idle, what comes of it, and what is known of its activity."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from ...model.idleness import Activity, Idleness, Signal
from ...model.idlewords import decider, quiet_of, whose
from ...model.policy import DecidedRule, RuleName, SessionPolicy, life_rule
from ...model.sessions import Kind, Session
from .base import Column, Row, View, html_table, text_table
from .markup import Markup, printable, tag

_DOES = {"suspend": "suspends", "stop": "stops"}
_OF_THE_TIMEOUT: tuple[RuleName, ...] = ("idle_timeout", "warn_before", "action")
_SOON = timedelta(hours=20)
"""What is nearer needs no date."""
_NEAR = timedelta(hours=1)
"""How long before a session's longest life is over lists tell of it."""


def idle_text(session: Session, now: datetime, activity: Activity | None = None) -> str:
    """Say how long a session is idle and what comes of it, and that it is kept alive.

    It is empty for one that is used. Its `activity`, if it is known, tells what did nothing.
    """
    idle = activity.idle if activity else session.idle
    signals = activity.signals if activity else ()
    said = _idle(idle, now, signals) if idle and session.state == "running" else ""
    return "; ".join(part for part in (said, kept_text(session, now)) if part)


def kept_text(session: Session, now: datetime) -> str:
    """Say until when a session is kept alive; empty where it is not."""
    kept = session.kept
    return f"kept alive until {_at(kept.until, now)}" if kept and kept.until > now else ""


def life_text(session: Session, now: datetime) -> str:
    """Say when a session's longest life is over, and who decided that; empty if nothing bounds it.

    It is said of what runs.
    """
    if session.ends is None or session.state != "running":
        return ""
    return f"is stopped at {_at(session.ends, now)}: longest life, {whose(session.ends_by)}"


def coming_text(session: Session, now: datetime) -> str:
    """Say what has to be known of a session in a list: that it is idle, or that its end is near."""
    near = session.ends is not None and session.ends - now <= _NEAR
    said = (idle_text(session, now), life_text(session, now) if near else "")
    return "; ".join(part for part in said if part)


def duration_text(span: timedelta) -> str:
    """Write a length of time in whole minutes: `22 min`, `1 h 5 min`."""
    hours, minutes = divmod(max(0, int(span.total_seconds())) // 60, 60)
    parts = [f"{hours} h"] if hours else []
    return " ".join([*parts, *([f"{minutes} min"] if minutes or not hours else [])])


def policy_text(policy: SessionPolicy, kind: Kind) -> str:
    """Say what is done with a session of a kind when it is idle or old, and who decided that."""
    rules = {each.rule: each for each in policy.rules if each.value not in ("never", "none")}
    timeout = _OF_THE_TIMEOUT if "idle_timeout" in rules else ()
    wanted = (*timeout, "gpu_idle_timeout", life_rule(kind))
    said = [rules[rule] for rule in wanted if rule in rules]
    return ", ".join(_decided(rule) for rule in said) or "nothing is done"


def _decided(rule: DecidedRule) -> str:
    return f"{rule.rule} {rule.value} ({rule.level}{', locked' if rule.locked else ''})"


def _idle(idle: Idleness, now: datetime, signals: Sequence[Signal]) -> str:
    gpu = "GPU " if idle.rule == "gpu_idle_timeout" else ""
    said = f"{gpu}idle {duration_text(now - idle.since)}" if idle.since <= now else f"{gpu}idle"
    if signals:
        said += f": {quiet_of(idle, signals)}"
    if idle.exempt:
        return f"{said}; exempt until {_at(idle.exempt, now)}"
    return f"{said}; {_coming(idle, now)}" if idle.acts else said


def _coming(idle: Idleness, now: datetime) -> str:
    by = "as it wished" if idle.level == "session" else decider(idle)
    if idle.action == "notify":
        told = idle.warned is not None
        return f"its owner {'was' if told else 'is'} told{_when(idle, now)}, {by}"
    return f"{_DOES.get(idle.action, idle.action)}{_when(idle, now)}, {by}"


def _when(idle: Idleness, now: datetime) -> str:
    at = (idle.warned if idle.action == "notify" else None) or idle.acts
    return f" at {_at(at, now)}" if at else ""


def _at(at: datetime, now: datetime) -> str:
    near = abs(at - now) < _SOON
    return f"{at:%H:%M %Z}" if near else f"{at:%Y-%m-%d %H:%M %Z}"


class KeptView(View[Session]):
    """Show until when a session is kept alive."""

    def __init__(self, data: Session, now: datetime) -> None:
        super().__init__(data)
        self._now = now

    @property
    def text(self) -> str:
        """Return a line."""
        kept = kept_text(self.data, self._now) or "not kept alive"
        return printable(f"{self.data.spec.name} is {kept}.")

    @property
    def body(self) -> Markup:
        """Return the same as HTML."""
        return tag("p", self.text)

    @property
    def records(self) -> list[Row]:
        """Return the one row."""
        kept = self.data.kept
        return [
            {
                "name": self.data.spec.name,
                "kept_until": kept.until if kept else None,
                "times": kept.times if kept else 0,
            }
        ]


def signals_text(activity: Activity) -> str:
    """Return what was seen of a session as a table."""
    if not activity.signals:
        return "It was not looked at yet."
    return text_table(_SIGNALS, activity.signals)


def signals_html(activity: Activity) -> Markup:
    """Return the same as HTML."""
    if not activity.signals:
        return tag("p", signals_text(activity))
    return html_table(_SIGNALS, activity.signals, "Activity")


_STATES = {"busy": "busy", "idle": "idle", "unknown": "cannot tell (counts as busy)"}
_SIGNALS: list[Column[Signal]] = [
    Column("SIGNAL", lambda signal: signal.name),
    Column("STATE", lambda signal: _STATES.get(signal.state, signal.state)),
    Column("LAST BUSY", lambda signal: f"{signal.last:%Y-%m-%d %H:%M:%S %Z}", whole=True),
    Column("SEEN", lambda signal: signal.detail),
]
