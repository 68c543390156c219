"""The idle time of a session, its consequences, and the activity of a session."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from ...model.idleness import Activity, Idleness, Signal
from ...model.messages.idle_words import quiet_of, whose
from ...model.policy import DecidedRule, RuleName, SessionPolicy, life_rule
from ...model.sessions import Kind, Session
from .markup import Markup, printable, tag
from .view import Column, Row, View, clock_text, html_table, minute_text, second_text, text_table

_DONE = {"suspend": "suspended", "stop": "stopped"}
_OF_THE_TIMEOUT: tuple[RuleName, ...] = ("idle_timeout", "warn_before", "action")
_SOON = timedelta(hours=20)
"""Nearer times are shown without a date."""
_NEAR = timedelta(hours=1)
"""How long before the end of its run time a list mentions it."""


def idle_text(session: Session, now: datetime, activity: Activity | None = None) -> str:
    """Return how long a session has been idle and what will happen, or why nothing can.

    Its protection is added. Empty for an active session. With its `activity`, the idle signals are
    named.
    """
    idle = activity.idle if activity else session.idle
    signals = activity.signals if activity else ()
    text = _idle(idle, now, signals) if idle and session.state == "running" else ""
    parts = (text, unmeasured_text(session), kept_text(session, now))
    return "; ".join(part for part in parts if part)


def kept_text(session: Session, now: datetime) -> str:
    """Return until when a session is kept alive; empty if it is not."""
    kept = session.kept
    return f"kept alive until {_at(kept.until, now)}" if kept and kept.until > now else ""


def life_text(session: Session, now: datetime) -> str:
    """Return when a running session reaches its maximum run time, and whose rule that is.

    Empty without a limit.
    """
    if session.ends is None or session.state != "running":
        return ""
    return f"at {_at(session.ends, now)}: maximum run time ({whose(session.ends_by)})"


def unmeasured_text(session: Session) -> str:
    """Return why a session cannot be ended for being idle, empty if it can."""
    why = session.unmeasured.rstrip(".") if session.state == "running" else ""
    return why and f"cannot idle out: {why[0].lower()}{why[1:]}"


def coming_text(session: Session, now: datetime) -> str:
    """Return the remark on a session in a list: that it is idle, or will end soon."""
    near = session.ends is not None and session.ends - now <= _NEAR
    life = life_text(session, now) if near else ""
    return "; ".join(part for part in (idle_text(session, now), life and f"ends {life}") if part)


def duration_text(span: timedelta) -> str:
    """Return a length of time in whole minutes: `22 min`, `1 h 5 min`, `< 1 min`."""
    hours, minutes = divmod(max(0, int(span.total_seconds())) // 60, 60)
    parts = [f"{hours} h"] if hours else []
    return " ".join([*parts, *([f"{minutes} min"] if minutes else [])]) or "< 1 min"


def policy_text(policy: SessionPolicy, kind: Kind) -> str:
    """Return the rules that can end a session of a kind, and the levels that set them."""
    rules = {each.rule: each for each in policy.rules if each.value not in ("never", "none")}
    timeout = _OF_THE_TIMEOUT if "idle_timeout" in rules else ()
    shown = (*timeout, "gpu_idle_timeout", life_rule(kind))
    return ", ".join(_decided(rules[rule]) for rule in shown if rule in rules) or "none"


def _decided(rule: DecidedRule) -> str:
    return f"{rule.rule} {rule.value} ({rule.level})"


def _idle(idle: Idleness, now: datetime, signals: Sequence[Signal]) -> str:
    gpu = "GPU " if idle.rule == "gpu_idle_timeout" else ""
    text = f"{gpu}idle"
    if idle.since <= now:
        text += f" for {duration_text(now - idle.since)}"
    if signals:
        text += f" ({quiet_of(idle, signals)})"
    if idle.exempt:
        return f"{text}, exempt until {_at(idle.exempt, now)}"
    return f"{text}, {_coming(idle, now)}" if idle.acts else text


def _coming(idle: Idleness, now: datetime) -> str:
    rule = "its own timeout" if idle.level == "session" else whose(idle.level)
    if idle.action == "notify":
        will = "was" if idle.warned else "will be"
        return f"the owner {will} notified{_when(idle, now)} by {rule}"
    done = f"will be {_DONE[idle.action]}" if idle.action in _DONE else idle.action
    return f"{done}{_when(idle, now)} by {rule}"


def _when(idle: Idleness, now: datetime) -> str:
    at = (idle.warned if idle.action == "notify" else None) or idle.acts
    return f" at {_at(at, now)}" if at else ""


def _at(at: datetime, now: datetime) -> str:
    near = abs(at - now) < _SOON
    return clock_text(at) if near else minute_text(at)


class KeptView(View[Session]):
    """The answer to `keep-alive`."""

    def __init__(self, data: Session, now: datetime) -> None:
        super().__init__(data)
        self._now = now

    @property
    def text(self) -> str:
        """Return one line."""
        kept = kept_text(self.data, self._now) or "not kept alive"
        return printable(f"{self.data.spec.name} is {kept}.")

    @property
    def body(self) -> Markup:
        """Return the same as HTML."""
        return tag("p", self.text)

    @property
    def records(self) -> list[Row]:
        """Return one row."""
        kept = self.data.kept
        return [
            {
                "name": self.data.spec.name,
                "kept_until": kept.until if kept else None,
                "times": kept.times if kept else 0,
            }
        ]


def signals_text(activity: Activity) -> str:
    """Return the activity signals of a session as a table."""
    if not activity.signals:
        return "No activity check yet."
    return text_table(_SIGNALS, activity.signals)


def signals_html(activity: Activity) -> Markup:
    """Return the same as HTML."""
    if not activity.signals:
        return tag("p", signals_text(activity))
    return html_table(_SIGNALS, activity.signals, "Activity")


_STATES = {"busy": "busy", "idle": "idle", "unknown": "unknown (treated as busy)"}
_SIGNALS: list[Column[Signal]] = [
    Column("SIGNAL", lambda signal: signal.name),
    Column("STATE", lambda signal: _STATES.get(signal.state, signal.state)),
    Column("LAST BUSY", lambda signal: second_text(signal.last), whole=True),
    Column("DETAILS", lambda signal: signal.detail),
]
