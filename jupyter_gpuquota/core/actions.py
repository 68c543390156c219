"""What may be done to a session in its state, whoever asks.

`lifecycle` refuses the same: a test compares the two. Rights and what the backend is able to do
narrow this further.
"""

from __future__ import annotations

from collections.abc import Collection

import msgspec

from ..model.sessions import ACTIONS, Action, Session, State

_ALWAYS: frozenset[Action] = frozenset({"log", "activity"})
_STARTED: frozenset[Action] = _ALWAYS | {"suspend", "resize", "stop"}
_OVER: frozenset[Action] = _ALWAYS | {"resume", "resize", "delete"}
_BY_STATE: dict[State, frozenset[Action]] = {
    "waiting": _STARTED | {"delete"},
    "starting": _STARTED,
    "running": _STARTED | {"open", "exec", "keep_alive"},
    "stopping": _ALWAYS,
    "suspended": _OVER | {"stop"},
    "stopped": _OVER,
    "done": _OVER,
    "failed": _OVER,
}


def by_state(session: Session) -> frozenset[Action]:
    """Return what a session's state allows; a session without a page cannot be opened."""
    allowed = _BY_STATE.get(session.state, _ALWAYS)
    return allowed if session.serves_pages else allowed - {"open"}


def offering(session: Session, allowed: Collection[Action]) -> Session:
    """Return the session with its actions, in the order of the vocabulary."""
    found = tuple(action for action in ACTIONS if action in allowed)
    return msgspec.structs.replace(session, actions=found)
