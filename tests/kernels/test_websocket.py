"""A kernel elsewhere: over a websocket to its session's server, and a network that breaks."""

from __future__ import annotations

import dataclasses
import socket
import threading
from contextlib import suppress

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_gpuquota.kernels.attach import attach
from jupyter_gpuquota.kernels.channels.port import ChannelsLost, wait
from jupyter_gpuquota.kernels.channels.websocket import decode, encode
from jupyter_gpuquota.kernels.messages import Message
from jupyter_gpuquota.kernels.session_server import SessionServer
from tests.kernels.conftest import ME, ended, request, run, text, until
from tests.waiting import PATIENCE

PARTS = st.binary(max_size=20)


class Network:
    """A TCP proxy that can be cut."""

    def __init__(self, port: int) -> None:
        self._target = ("127.0.0.1", port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._open: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        for end in self._open:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._listener.close()
        self.cut()
        for end in self._open:
            end.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                far = socket.create_connection(self._target)
                self._open += [near, far]
                for ends in ((near, far), (far, near)):
                    threading.Thread(target=self._copy, args=ends, daemon=True).start()

    def _copy(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65_536):
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)


@pytest.fixture(scope="module")
def network(client, session):
    found = Network(SessionServer.find(client.context, session.id).endpoint.port)
    yield found
    found.close()


@pytest.fixture(scope="module")
def kernel(client, session, network):
    """A kernel whose own sockets cannot be reached."""
    endpoint = SessionServer.find(client.context, session.id).endpoint
    away = msgspec.structs.replace(endpoint, port=network.port, runtime="")
    kernel = attach(SessionServer(away), "away/analysis.ipynb")
    yield kernel
    kernel.shut_down()


@pytest.fixture
def channels(kernel):
    channels = kernel.channels(PATIENCE, "one")
    yield channels
    channels.close()


@given(parts=st.tuples(PARTS, PARTS, PARTS, PARTS), buffers=st.lists(PARTS, max_size=3))
def test_messages_are_read_as_they_were_written(parts, buffers):
    message = Message("shell", *parts, buffers=buffers)
    assert dataclasses.asdict(decode(encode(message))) == dataclasses.asdict(message)


@pytest.mark.parametrize("data", [b"", b"x", b"\xff" * 64, bytes(64)])
def test_what_is_no_message_is_refused(data):
    with pytest.raises(ValueError, match="not a message"):
        decode(data)


def test_cells_questions_and_buffers(channels):
    asked = request("print('Hello', input('Name? '))", allow_stdin=True)
    asked.idents = [b"who"]
    channels.send(asked)
    *_, question = until(channels, lambda message: message.channel == "stdin")
    assert (question.read()["prompt"], question.idents) == ("Name? ", [b"who"])
    answer = {"value": "Ana"}
    channels.send(Message.new("stdin", "input_reply", answer, session=ME, parent=question.header))
    found = until(channels, ended(asked))
    assert text(found) == "Hello Ana\n"
    assert [m.idents for m in found if m.channel == "shell"] == [[b"who"]]


def test_a_flood_arrives_whole(channels):
    many = run(channels, "for n in range(2000): print(n, flush=True)")
    assert text(many) == "".join(f"{n}\n" for n in range(2000))
    much = run(channels, "print('x' * 5_000_000)")
    assert len(text(much)) == 5_000_001


def test_what_was_missed_comes_after_reconnecting(kernel, network):
    channels = kernel.channels(PATIENCE, "two")
    asked = request("import time\nfor n in range(20): print(n, flush=True); time.sleep(0.05)")
    channels.send(asked)
    found = until(channels, lambda message: message.kind == "stream")
    network.cut()
    with suppress(ChannelsLost):
        while message := wait(channels, PATIENCE):
            found.append(message)
    channels.close()
    again = kernel.channels(PATIENCE, "two")
    found += until(again, ended(asked))
    assert text(found) == "".join(f"{n}\n" for n in range(20))
    again.close()
