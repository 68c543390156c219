"""A session on the local backend with a Jupyter Server of its own, for the tests of a module."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from jupyter_client.blocking.client import BlockingKernelClient

from jupyter_gpuquota import Client
from jupyter_gpuquota.kernels.channels.port import Channels, wait
from jupyter_gpuquota.kernels.connection_file import Connection
from jupyter_gpuquota.kernels.follower import Place
from jupyter_gpuquota.kernels.front import Front
from jupyter_gpuquota.kernels.messages import Message
from jupyter_gpuquota.kernels.notebook import Parent
from jupyter_gpuquota.kernels.relay import Relay
from jupyter_gpuquota.kernels.session_server import SessionServer
from jupyter_gpuquota.model.sessions import Session
from scripts.ports import free_ports
from tests.chosen import on_local
from tests.shell import Shell, shell
from tests.storms.conftest import show
from tests.waiting import patience

__all__ = ["on_local", "shell", "show"]

ME = "the-test"


@pytest.fixture(scope="module")
def client(on_local: None, shell: Shell) -> Client:
    return Client(state_dir=shell.folder / "state", backend="local")


@pytest.fixture(scope="module")
def session(client: Client, shell: Shell) -> Session:
    """A running session on half a GPU, whose folder is the tests' own."""
    shell.ok("submit", "exp-1", "-g", "0.5", "--interactive", "--folder", ".")
    (made,) = client.sessions.list()
    *_, session = client.sessions.watch(made)
    assert session.state == "running", session
    return session


@pytest.fixture
def server(client: Client, session: Session) -> SessionServer:
    return SessionServer.find(client.context, session.id)


@contextmanager
def relayed(place: Place) -> Iterator[BlockingKernelClient]:
    """Run a relay in this process, and yield a client of it; both end afterwards."""
    names = ("shell_port", "control_port", "stdin_port", "iopub_port", "hb_port")
    ports = free_ports(names)
    relay = Relay(Front(Connection(key="secret", **ports)), place, Parent())
    thread = threading.Thread(target=relay.run, daemon=True)  # a test that fails must end
    thread.start()
    client = BlockingKernelClient()
    client.load_connection_info({**ports, "ip": "127.0.0.1", "transport": "tcp", "key": "secret"})
    client.start_channels()
    try:
        client.wait_for_ready(timeout=patience())
        yield client
    finally:
        client.shutdown()
        client.get_control_msg(timeout=patience())
        client.stop_channels()
        thread.join(patience())
    assert not thread.is_alive()


def request(code: str, **more: object) -> Message:
    content = {"code": code, "silent": False, "store_history": True, "allow_stdin": False, **more}
    return Message.new("shell", "execute_request", content, session=ME)


def until(channels: Channels, done: Callable[[Message], bool]) -> list[Message]:
    """Return the messages up to the first one that is `done`."""
    found: list[Message] = []
    while not (found and done(found[-1])):
        message = wait(channels, patience())
        assert message, f"nothing more came after {found}"
        found.append(message)
    return found


def run(channels: Channels, code: str, **more: object) -> list[Message]:
    """Return what a cell sends, to the end of its reply and of its output."""
    asked = request(code, **more)
    channels.send(asked)
    return [m for m in until(channels, ended(asked)) if m.parent_id == asked.id]


def ended(asked: Message) -> Callable[[Message], bool]:
    """Return what is true once both the reply to a request and its last output were seen."""
    left = {"shell", "iopub"}

    def done(message: Message) -> bool:
        if message.parent_id == asked.id:
            last = message.kind == "status" and message.read()["execution_state"] == "idle"
            if message.channel == "shell" or last:
                left.discard(message.channel)
        return not left

    return done


def text(messages: list[Message]) -> str:
    return "".join(m.read()["text"] for m in messages if m.kind == "stream")
