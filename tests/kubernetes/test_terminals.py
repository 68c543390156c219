"""Terminals in pods: input, size, end, and who may type."""

from __future__ import annotations

import msgspec
import pytest

from jupyter_gpuquota.control.clock import Clock
from jupyter_gpuquota.errors import InvalidFields, NotAllowed, NotFound, WrongState
from jupyter_gpuquota.kubernetes.api import Fault
from jupyter_gpuquota.kubernetes.config import KubernetesConfig
from jupyter_gpuquota.kubernetes.programs.terminals import SHELL, KubeTerminals
from jupyter_gpuquota.kubernetes.resident.cluster import reaching
from jupyter_gpuquota.kubernetes.session_pods import Outside, pod_path
from jupyter_gpuquota.model.programs import TerminalInput, TerminalRequest
from tests.builders import make_session
from tests.kubernetes.fake_api import FakeApi
from tests.kubernetes.session_pod import CONTAINER, make_pod, make_running
from tests.kubernetes.sockets import FakeSocket, Opened

SESSION = make_running()
EXITED = {"status": "Failure", "details": {"causes": [{"reason": "ExitCode", "message": "7"}]}}


async def shell(socket: FakeSocket) -> None:
    """Show every message; `exit` ends it."""
    await socket.say(b"\x01")
    while (message := await socket.sent.get()) != b"\x00exit\n":
        await socket.say(b"\x01" + repr(message).encode())
    await socket.say(b"\x03" + msgspec.json.encode(EXITED))


class Lab:
    """Terminals of one session."""

    def __init__(self, folder) -> None:
        self.opened = Opened(shell)
        self.api = FakeApi()
        self.session = SESSION
        pod = make_pod(SESSION)
        self.api.controls.sockets[pod_path(pod, "exec")] = self.opened
        config = KubernetesConfig(reach="service")
        self.all = reaching(
            config, self.api, folder, lambda _: self.session, lambda _: pod, Clock()
        )
        self.terminals = self.all.terminals


@pytest.fixture
def lab(tmp_path) -> Lab:
    return Lab(tmp_path)


async def test_what_is_typed_reaches_the_program(lab):
    events = lab.terminals.open(SESSION.id, TerminalRequest(columns=100, rows=30))
    first = await anext(events)
    assert first.session == SESSION.id
    assert await anext(events) == msgspec.structs.replace(
        first, session="", terminal="", output=repr(b'\x04{"Width":100,"Height":30}')
    )
    assert not lab.all.presence.used(SESSION.id)
    await lab.terminals.type(SESSION.id, first.terminal, TerminalInput(text="é", columns=9, rows=5))
    assert lab.all.presence.used(SESSION.id)
    assert [(await anext(events)).output for _ in range(2)] == [
        repr(b'\x04{"Width":9,"Height":5}'),
        repr(b"\x00" + "é".encode()),
    ]
    await lab.terminals.type(SESSION.id, first.terminal, TerminalInput(text="exit\n"))
    last = await anext(events)
    assert last.result.exit_code == 7
    with pytest.raises(StopAsyncIteration):
        await anext(events)
    assert lab.opened.sockets[0].closed.is_set()
    with pytest.raises(NotFound, match="has ended"):
        await lab.terminals.type(SESSION.id, first.terminal, TerminalInput(text="x"))
    assert lab.opened.queries == [
        [
            ("container", CONTAINER),
            ("stdout", "true"),
            ("stdin", "true"),
            ("tty", "true"),
            *(("command", word) for word in SHELL),
        ]
    ]


@pytest.mark.parametrize(("shown", "used"), [(b"step 12\r\n", True), (b"\x1b[Htop - 12:00", False)])
async def test_what_a_monitor_redraws_is_no_use(lab, shown, used):
    async def show(socket: FakeSocket) -> None:
        await socket.say(b"\x01$ ")
        await socket.say(b"\x01" + shown)
        await socket.sent.get()
        await socket.sent.get()

    pod, outside = make_pod(SESSION), Outside()
    opened = Opened(show)
    lab.api.controls.sockets[pod_path(pod, "exec")] = opened
    terminals = KubeTerminals(lab.api, lambda _: SESSION, lambda _: pod, lab.all.ingress, outside)
    events = terminals.open(SESSION.id, TerminalRequest())
    await anext(events)
    await anext(events)
    before = outside.last(SESSION.id)
    await anext(events)
    assert (outside.last(SESSION.id) > before) == used
    await events.aclose()
    opened.tasks[0].cancel()


async def test_hanging_up_closes_the_connection(lab):
    events = lab.terminals.open(SESSION.id, TerminalRequest(command=("top",)))
    first = await anext(events)
    await events.aclose()
    assert lab.opened.sockets[0].closed.is_set()
    assert ("command", "top") in lab.opened.queries[0]
    with pytest.raises(NotFound):
        await lab.terminals.type(SESSION.id, first.terminal, TerminalInput(text="x"))
    lab.opened.tasks[0].cancel()


async def test_a_terminal_is_known_by_its_session_and_its_own_name(lab):
    events = lab.terminals.open(SESSION.id, TerminalRequest())
    first = await anext(events)
    for session, name in (("other", first.terminal), (SESSION.id, "guessed")):
        with pytest.raises(NotFound):
            await lab.terminals.type(session, name, TerminalInput(text="x"))
    await events.aclose()
    lab.opened.tasks[0].cancel()


@pytest.mark.parametrize(
    ("bad", "field"),
    [({"columns": 0}, "columns"), ({"rows": 10**6}, "rows"), ({"command": ("a\0",)}, "command")],
)
async def test_requests_are_checked(lab, bad, field):
    with pytest.raises(InvalidFields) as caught:
        await anext(lab.terminals.open(SESSION.id, TerminalRequest(**bad)))
    assert [error.field for error in caught.value.fields] == [field]


async def test_a_terminal_needs_a_running_session_and_the_right(lab):
    lab.session = make_session("waits")
    with pytest.raises(WrongState):
        await anext(lab.terminals.open(SESSION.id, TerminalRequest()))
    lab.session = SESSION
    lab.api.fail(Fault(403, "Forbidden", "no"), verb="websocket")
    with pytest.raises(NotAllowed):
        await anext(lab.terminals.open(SESSION.id, TerminalRequest()))


async def test_a_quiet_connection_is_kept_open(lab):
    terminals = KubeTerminals(
        lab.api, lambda _: SESSION, lambda _: make_pod(SESSION), lab.all.ingress, Outside(), 0.05
    )
    events = terminals.open(SESSION.id, TerminalRequest(columns=100, rows=30))
    await anext(events)
    sizes = [(await anext(events)).output for _ in range(3)]
    assert sizes == [repr(b'\x04{"Width":100,"Height":30}')] * 3
    await events.aclose()
    lab.opened.tasks[0].cancel()
