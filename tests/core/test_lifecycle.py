"""Which state may follow which."""

from __future__ import annotations

from datetime import timedelta

import pytest
from msgspec.structs import replace

from jupyter_gpuquota.core import lifecycle
from jupyter_gpuquota.core.end_requests import requested
from jupyter_gpuquota.errors import WrongState
from jupyter_gpuquota.model.idleness import Idleness, KeptAlive
from jupyter_gpuquota.model.sessions import ENDED, LIVE, STATES, Session, State
from jupyter_gpuquota.model.struct import Message
from tests.builders import NOW, make_placement, make_session, make_slice


def at(state: State) -> Session:
    placement = make_placement(make_slice()) if state in LIVE else None
    return make_session(state=state, gpu="1", placement=placement)


@pytest.mark.parametrize(
    ("state", "stop", "suspend"),
    [
        ("waiting", "stopped", "suspended"),
        ("starting", "stopping", "stopping"),
        ("running", "stopping", "stopping"),
        ("stopping", "stopping", "stopping"),
        ("suspended", "stopped", None),
        ("stopped", None, None),
        ("done", None, None),
        ("failed", None, None),
    ],
)
def test_what_stop_and_suspend_do(state: State, stop: State | None, suspend: State | None) -> None:
    for goal, wanted in (("stop", stop), ("suspend", suspend)):
        if wanted is None:
            with pytest.raises(WrongState, match="cannot be"):
                lifecycle.request_end(at(state), goal, NOW)
        else:
            assert lifecycle.request_end(at(state), goal, NOW).state == wanted


@pytest.mark.parametrize("state", STATES)
def test_only_the_ended_and_suspended_resume(state: State) -> None:
    if state in ENDED | {"suspended"}:
        resumed = lifecycle.request_resume(at(state), NOW)
        assert (resumed.state, resumed.goal, resumed.exit) == ("waiting", "run", None)
        assert resumed.spec == at(state).spec
    else:
        with pytest.raises(WrongState):
            lifecycle.request_resume(at(state), NOW)


@pytest.mark.parametrize("state", STATES)
def test_only_what_has_no_processes_is_deleted(state: State) -> None:
    if state in LIVE:
        with pytest.raises(WrongState):
            lifecycle.check_deletable(at(state))
    else:
        lifecycle.check_deletable(at(state))


def test_a_share_is_held_until_the_last_process_has_gone() -> None:
    stopping = lifecycle.request_end(at("running"), "suspend", NOW)
    assert stopping.placement is not None
    suspended = lifecycle.finish_end(stopping, NOW)
    assert (suspended.state, suspended.placement, suspended.ended) == ("suspended", None, NOW)
    assert suspended.reason is not None
    assert suspended.reason.code == "SuspendRequested"


def test_stop_overrules_suspend_while_it_is_under_way() -> None:
    suspending = lifecycle.request_end(at("running"), "suspend", NOW)
    assert lifecycle.finish_end(lifecycle.request_end(suspending, "stop", NOW), NOW).state == (
        "stopped"
    )


def test_who_ends_a_session_first_is_named() -> None:
    for first, later in (("root", ""), ("", "root")):
        ending = lifecycle.request_end(at("running"), "stop", NOW, requested("stop", first))
        again = lifecycle.request_end(ending, "stop", NOW, requested("stop", later))
        assert again == ending
    suspending = lifecycle.request_end(at("running"), "suspend", NOW)
    stopping = lifecycle.request_end(suspending, "stop", NOW, requested("stop", "root"))
    assert stopping.reason == requested("stop", "root")


@pytest.mark.parametrize("state", ["stopped", "suspended"])
def test_what_was_kept_alive_is_not_any_more_when_its_run_ends(state: State) -> None:
    kept = KeptAlive(until=NOW + timedelta(hours=1))
    running = replace(at("running"), kept=kept, idle=Idleness(since=NOW, rule="idle_timeout"))
    ending = lifecycle.request_end(running, "stop" if state == "stopped" else "suspend", NOW)
    assert (ending.kept, ending.idle) == (None, None)
    ended = lifecycle.finish_end(ending, NOW)
    assert (ended.state, ended.kept) == (state, None)
    assert lifecycle.request_resume(ended, NOW).kept is None
    assert lifecycle.move(running, "done", NOW).kept is None


def test_a_step_that_the_map_lacks_is_a_fault() -> None:
    with pytest.raises(ValueError, match="cannot go"):
        lifecycle.move(at("done"), "running", NOW)


def test_progress_is_bounded() -> None:
    session = at("starting")
    for i in range(50):
        session = lifecycle.note(session, Message(text=f"step {i}"), NOW)
    assert len(session.progress) == lifecycle.STEPS_KEPT
    assert session.progress[-1].message == "step 49"
