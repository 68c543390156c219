"""Which actions the state of a session allows.

`lifecycle` refuses the same: a test compares the two. Rights and the backend's capabilities narrow
this further.
"""

from __future__ import annotations

from ..model.sessions import Action, State

_ALWAYS: frozenset[Action] = frozenset({"log", "activity"})
_STARTED: frozenset[Action] = _ALWAYS | {"suspend", "resize", "stop"}
_OVER: frozenset[Action] = _ALWAYS | {"resume", "resize", "delete", "snapshot"}
_BY_STATE: dict[State, frozenset[Action]] = {
    "waiting": _STARTED | {"delete"},
    "starting": _STARTED,
    "running": _STARTED | {"open", "exec", "keep_alive", "snapshot"},
    "stopping": _ALWAYS | {"snapshot"},
    "suspended": _OVER | {"stop"},
    "stopped": _OVER,
    "done": _OVER,
    "failed": _OVER,
}


def by_state(state: State) -> frozenset[Action]:
    """Return what a state allows; of an unknown state only what every state allows."""
    return _BY_STATE.get(state, _ALWAYS)
