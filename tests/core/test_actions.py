"""What the state of a session allows, and that the rules of its life agree."""

from __future__ import annotations

from collections.abc import Callable
from typing import get_args

import pytest

from jupyter_gpuquota.core import actions, disclosure, lifecycle
from jupyter_gpuquota.core.access import Caller, Rights
from jupyter_gpuquota.errors import WrongState
from jupyter_gpuquota.model.routes.route import Need
from jupyter_gpuquota.model.sessions import ACTIONS, STATES, Action, Session, State
from jupyter_gpuquota.ports.backend import CAPABILITIES
from tests.builders import NOW, make_session, make_share

_LIFE: dict[Action, Callable[[Session], object]] = {
    "suspend": lambda session: lifecycle.request_end(session, "suspend", NOW),
    "resume": lambda session: lifecycle.request_resume(session, NOW),
    "resize": lambda session: lifecycle.request_resize(session, make_share("2"), NOW),
    "stop": lambda session: lifecycle.request_end(session, "stop", NOW),
    "delete": lifecycle.check_deletable,
}


@pytest.mark.parametrize(
    ("state", "allowed"),
    [
        ("waiting", "log suspend resize stop delete activity"),
        ("starting", "log suspend resize stop activity"),
        ("running", "open log exec keep_alive suspend resize stop activity snapshot"),
        ("stopping", "log activity snapshot"),
        ("suspended", "log resume resize stop delete activity snapshot"),
        ("stopped", "log resume resize delete activity snapshot"),
        ("done", "log resume resize delete activity snapshot"),
        ("failed", "log resume resize delete activity snapshot"),
    ],
)
def test_a_state_allows(state: State, allowed: str) -> None:
    assert actions.by_state(state) == set(allowed.split())
    every = frozenset(get_args(Need))
    offered = disclosure.actions_for(
        state, every, tuple(CAPABILITIES), opens=True, stores=True, extends=True
    )
    assert offered == tuple(allowed.split())


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("action", _LIFE)
def test_what_is_offered_is_what_the_rules_of_life_accept(state: State, action: Action) -> None:
    session = make_session(state=state, gpu="1")
    if action in actions.by_state(state):
        _LIFE[action](session)
    elif state == "stopping" and action in ("stop", "suspend"):
        assert _LIFE[action](session).state == "stopping"  # accepted, but already under way
    else:
        with pytest.raises(WrongState):
            _LIFE[action](session)


def test_only_what_serves_pages_is_opened() -> None:
    owner = Rights(Caller("ana"))

    def offered(**spec: object) -> tuple[Action, ...]:
        session = make_session(state="running", owner="ana", **spec)
        return disclosure.shown(session, owner, tuple(CAPABILITIES)).actions

    batch = offered(command=("python", "train.py"))
    assert "open" not in batch
    assert "exec" in batch
    assert "open" in offered(command=("tensorboard",), ports=(6006,))


def test_a_state_of_another_version_allows_to_look_only() -> None:
    assert actions.by_state("hibernating") == {"log", "activity"}


def test_the_vocabulary_has_every_action_of_a_state() -> None:
    assert {action for state in STATES for action in actions.by_state(state)} == set(ACTIONS)
