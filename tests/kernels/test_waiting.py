"""Cells whose session does not run: what they show, and how they end."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from msgspec import structs

from jupyter_gpuquota.errors import Unavailable
from jupyter_gpuquota.kernels import waiting
from jupyter_gpuquota.kernels.place import SessionPlace
from jupyter_gpuquota.model.reasons import Reason
from jupyter_gpuquota.model.sessions import Progress
from tests.builders import make_session
from tests.kernels.conftest import relayed
from tests.waiting import patience

QUEUED = structs.replace(
    make_session("exp-1", "0.5"),
    queue_position=2,
    reason=Reason(code="OverQuota", message="team-a's quota is used up."),
)


class Queue:
    """A session that stays in its queue."""

    def __init__(self, session=QUEUED):
        self.now = session
        self.shut_down_times = 0

    def session(self, *, resume):
        now = self.now  # the test's thread may change it
        if now is None:
            raise Unavailable("The controller does not answer.")
        return now

    def attach(self, session):
        raise AssertionError("it never runs")

    def shut_down(self):
        self.shut_down_times += 1


@pytest.fixture
def place():
    return Queue()


@pytest.fixture
def client(place):
    with relayed(place) as client:
        yield client


def shown(client, kind):
    while True:
        message = client.get_iopub_msg(timeout=patience())
        if message["msg_type"] == kind:
            return message["content"]


def reply_to(client, asked):
    while True:
        reply = client.get_shell_msg(timeout=patience())
        if reply["parent_header"]["msg_id"] == asked:
            return reply["content"]


def test_a_cell_shows_what_it_waits_for_in_one_output(client, place):
    client.execute("1")
    first = shown(client, "display_data")
    line = "exp-1 is queued: team-a's quota is used up · position 2"
    assert first["data"]["text/plain"] == line
    place.now = structs.replace(QUEUED, queue_position=1)
    second = shown(client, "update_display_data")
    assert second["data"]["text/plain"].endswith("position 1")
    assert second["transient"] == first["transient"]


def test_a_cell_says_when_its_session_should_start():
    soon = datetime.now().astimezone()
    said = waiting.waits(structs.replace(QUEUED, expected=soon.astimezone(UTC)))
    assert said.endswith(f" · position 2 · starts about {soon:%H:%M}")
    later = waiting.waits(structs.replace(QUEUED, expected=soon + timedelta(days=2)))
    assert later.endswith(f" on {soon + timedelta(days=2):%d %B}")


def test_what_is_starting_is_said_once():
    step = Progress(at=datetime.now(UTC), message="Starting a Jupyter Server from /env")
    session = structs.replace(QUEUED, state="starting", progress=(step,))
    assert waiting.waits(session) == "exp-1: Starting a Jupyter Server from /env"
    assert waiting.waits(structs.replace(session, progress=())) == "exp-1 is starting"


def test_a_kernel_says_in_which_session_it_runs(client):
    reply = client.kernel_info(reply=True, timeout=patience())
    assert reply["content"]["gpuquota"] == {"session": f"{QUEUED.spec.project}/exp-1"}


def test_an_interrupt_cancels_cells_that_wait(client):
    one, two = client.execute("1"), client.execute("2")
    shown(client, "display_data")
    while client.get_iopub_msg(timeout=patience())["parent_header"].get("msg_id") != two:
        pass  # an interrupt that comes before the second cell would not cancel it
    client.control_channel.send(client.session.msg("interrupt_request", {}))
    assert client.get_control_msg(timeout=patience())["content"]["status"] == "ok"
    assert reply_to(client, one)["ename"] == "KeyboardInterrupt"
    assert reply_to(client, two)["status"] == "aborted"
    shown(client, "clear_output")


def test_a_session_that_ends_in_the_queue_ends_its_cells(client, place):
    asked = client.execute("1")
    shown(client, "display_data")
    reason = Reason(code="StopRequested", message="Stopped on request.")
    place.now = structs.replace(QUEUED, state="stopped", reason=reason)
    reply = reply_to(client, asked)
    assert reply["ename"] == "SessionEnded"
    assert reply["evalue"].startswith("exp-1 has ended: Stopped on request.\n")


def test_a_controller_that_is_away_is_waited_for(client, place):
    asked = client.execute("1")
    shown(client, "display_data")
    place.now = None
    while "does not answer" not in shown(client, "update_display_data")["data"]["text/plain"]:
        pass
    place.now = structs.replace(QUEUED, state="failed")
    assert reply_to(client, asked)["ename"] == "SessionEnded"


@pytest.mark.parametrize(
    ("state", "code", "name"),
    [
        ("waiting", "Reclaimed", "SessionReclaimed"),
        ("suspended", "IdleTimeout", "SessionSuspended"),
        ("done", "", "SessionEnded"),
        ("starting", "", "KernelEnded"),
    ],
)
def test_why_a_cell_lost_its_kernel(state, code, name):
    reason = Reason(code=code, message="team-b reclaimed its GPUs.") if code else None
    failure = waiting.ended(structs.replace(QUEUED, state=state, reason=reason))
    assert failure.name == name
    assert "exp-1" in failure.text
    assert ".." not in failure.text


class Sessions:
    """The sessions of a client: one, that can be stopped."""

    def __init__(self, state):
        self.one = structs.replace(QUEUED, state=state)
        self.stopped = []

    def get(self, name):
        return self.one

    def stop(self, name):
        self.stopped.append(name)


@pytest.mark.parametrize(
    ("state", "on_shutdown", "stopped"),
    [
        ("waiting", "stop", 1),
        ("starting", "suspend", 1),
        ("suspended", "stop", 0),
        ("waiting", "", 0),
    ],
)
def test_what_was_launched_and_still_waits_is_stopped_with_its_kernel(state, on_shutdown, stopped):
    sessions = Sessions(state)
    place = SessionPlace(SimpleNamespace(sessions=sessions), "exp-1", None, on_shutdown=on_shutdown)
    place.session(resume=False)
    place.shut_down()
    assert sessions.stopped == [QUEUED.id] * stopped


def test_a_shutdown_in_the_queue_reaches_the_place(place):
    with relayed(place):
        assert place.shut_down_times == 0
    assert place.shut_down_times == 1
