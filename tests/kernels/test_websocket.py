"""A kernel elsewhere: over a websocket to its session's server, and a network that breaks."""

from __future__ import annotations

import dataclasses
import json
import socket
import threading
import time
from base64 import b64encode
from contextlib import suppress
from hashlib import sha1

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_gpuquota.errors import Unavailable
from jupyter_gpuquota.kernels.attach import attach
from jupyter_gpuquota.kernels.cells import notebook as cells
from jupyter_gpuquota.kernels.channels.port import ChannelsLost, Conversation, wait
from jupyter_gpuquota.kernels.channels.websocket import WebSocketChannels, decode, encode
from jupyter_gpuquota.kernels.messages import Message
from jupyter_gpuquota.kernels.notebook import Notebook
from jupyter_gpuquota.kernels.place import SessionPlace
from jupyter_gpuquota.kernels.session_server import SessionServer, open_connection
from jupyter_gpuquota.model.sessions import Endpoint
from jupyter_gpuquota.ui.cellmagic.arguments import read_line
from jupyter_gpuquota.ui.cellmagic.cell import run_cell
from tests.kernels.conftest import ME, ended, relayed, request, run, text, until
from tests.kernels.network import Elsewhere, network_of
from tests.kernels.test_attach import echo_buffers
from tests.kernels.test_relay import a_subshell_answers, a_widget_moves
from tests.kernels.test_relay import text as printed
from tests.waiting import patience

PARTS = st.binary(max_size=20)
GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
"""What a server proves with that it speaks the protocol of RFC 6455."""


@pytest.fixture(scope="module")
def network(client, session):
    found = network_of(client, session.id)
    yield found
    found.close()


@pytest.fixture(scope="module")
def kernel(client, session, network):
    """A kernel whose own sockets cannot be reached."""
    away = SessionServer.find(Elsewhere(client, network), session.id)
    kernel = attach(away, "away/analysis.ipynb")
    yield kernel
    kernel.shut_down()


@pytest.fixture
def channels(kernel):
    channels = kernel.channels(patience())
    yield channels
    channels.close()


@pytest.fixture(scope="module")
def relay(client, session, network):
    place = SessionPlace(Elsewhere(client, network), "exp-1", Notebook("", "a-key", "/"))
    with relayed(place) as relay:
        relay.execute("'in another folder'")  # the first cell says so
        relay.get_shell_msg(timeout=patience())
        yield relay


@given(parts=st.tuples(PARTS, PARTS, PARTS, PARTS), buffers=st.lists(PARTS, max_size=3))
def test_messages_are_read_as_they_were_written(parts, buffers):
    message = Message("shell", *parts, buffers=buffers)
    assert dataclasses.asdict(decode(encode(message))) == dataclasses.asdict(message)


@pytest.mark.parametrize("data", [b"", b"x", b"\xff" * 64, bytes(64)])
def test_what_is_no_message_is_refused(data):
    with pytest.raises(ValueError, match="not a message"):
        decode(data)


def test_a_server_without_the_protocol_is_refused_and_left():
    left = []

    def serve():
        near, _ = listener.accept()
        with near:
            asked = near.recv(65_536).decode()
            key = asked.lower().partition("sec-websocket-key: ")[0]
            key = asked[len(key) + len("sec-websocket-key: ") :].partition("\r\n")[0]
            proof = b64encode(sha1(f"{key}{GUID}".encode()).digest()).decode()  # noqa: S324 (RFC 6455)
            head = ["HTTP/1.1 101 Switching Protocols", "Upgrade: websocket"]
            head += ["Connection: Upgrade", f"Sec-WebSocket-Accept: {proof}", "", ""]
            near.sendall("\r\n".join(head).encode())
            left.append(near.recv(1))

    thread = threading.Thread(target=serve)
    listener = socket.create_server(("127.0.0.1", 0))
    thread.start()
    endpoint = Endpoint(host="127.0.0.1", port=listener.getsockname()[1], base_url="/")
    with pytest.raises(Unavailable, match="too old"):
        WebSocketChannels(endpoint, "a-kernel", Conversation())
    thread.join(patience())
    listener.close()
    assert left == [b""]


def test_buffers_arrive_as_they_were_sent(channels):
    echo_buffers(channels)


def test_cells_and_questions(channels):
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


AWAY = """
import os, signal
os.kill(os.getppid(), signal.SIGSTOP)
for n in range(5000): print(n, flush=True)
os.kill(os.getppid(), signal.SIGCONT)
"""


def test_what_is_printed_while_the_server_does_something_else_arrives(channels):
    assert text(run(channels, AWAY)) == "".join(f"{n}\n" for n in range(5000))


def model_of(server, kernel):
    """Return what a session's server says of a kernel; to ask is no use."""
    connection = open_connection(server.endpoint, patience())
    path = f"{server.endpoint.base_url}api/kernels/{kernel}?no_track_activity=1"
    connection.request("GET", path, headers=server.endpoint.headers)
    found = json.load(connection.getresponse())
    connection.close()
    return found


def test_attaching_again_is_no_use(client, session, network):
    place = SessionPlace(Elsewhere(client, network), "exp-1", Notebook("", "unused", "/"))
    first = place.attach(place.session(resume=False))
    run(first.channels, "1")
    server = first.kernel.server

    def last_activity():
        found = model_of(server, first.kernel.id)
        assert found["execution_state"] == "idle"
        return found["last_activity"]

    before = last_activity()
    first.channels.close()
    again = place.attach(place.session(resume=False))
    assert last_activity() == before
    assert text(run(again.channels, "print('used')")) == "used\n"
    assert last_activity() > before
    again.channels.close()
    first.kernel.shut_down()


def test_a_relay_completes_words_and_runs_subshells(relay):
    reply = relay.complete("'a'.upp", reply=True, timeout=patience())
    assert reply["content"]["matches"] == ["upper"]
    a_subshell_answers(relay)


def test_a_widget_moves_and_has_its_buffers(relay):
    a_widget_moves(relay)


def test_what_was_missed_comes_after_reconnecting(kernel, network):
    conversation = Conversation()
    channels = kernel.channels(patience(), conversation)
    asked = request("import time\nfor n in range(20): print(n, flush=True); time.sleep(0.05)")
    asked.idents = [b"who"]
    channels.send(asked)
    found = until(channels, lambda message: message.kind == "stream")
    network.refuse()
    with suppress(ChannelsLost):
        while message := wait(channels, patience()):
            found.append(message)
    channels.close()
    network.recover()
    again = kernel.channels(patience(), conversation)
    found += until(again, ended(asked))
    assert text(found) == "".join(f"{n}\n" for n in range(20))
    assert [m.idents for m in found if m.kind == "execute_reply"] == [[b"who"]]
    again.close()


def test_the_interrupt_of_a_kernel_that_is_shut_down_is_no_answer(client, session, network):
    away = SessionServer.find(Elsewhere(client, network), session.id)
    kernel = attach(away, "away/shut-down.ipynb")
    channels = kernel.channels(patience())
    code = "import time\ntry:\n    print('begun', flush=True)\n    time.sleep(1000)\n"
    channels.send(request(f"{code}finally:\n    print('saved', flush=True)"))
    until(channels, lambda message: message.kind == "stream")
    kernel.shut_down()
    messages = []
    with suppress(ChannelsLost):
        while message := wait(channels, 1.0):
            messages.append(message)
    assert text(messages) == "saved\n"
    assert not {"error", "execute_reply", "status"} & {message.kind for message in messages}
    channels.close()


@pytest.mark.timeout(7200)
@pytest.mark.parametrize("how", ["fall_silent", "refuse", "drop"])
def test_a_cell_goes_on_while_the_network_is_cut(relay, network, how, rounds, show):
    """The network is cut for 1 second in `make test`, and also for 30 and 300 in `make storm`."""
    for seconds in (1, 30, 300)[: rounds(3, 1)]:
        show(f"{how} for {seconds} s", cut_in_a_cell(relay, network, how, seconds))


def cut_in_a_cell(relay, network, how, seconds):
    """Cut the network while a cell prints numbers; return the seconds it should take, and took."""
    many = (seconds + 2) * 10
    code = f"import time\nfor n in range({many}): print(n, flush=True); time.sleep(0.1)"
    outputs = []
    started = time.monotonic()
    cut = threading.Timer(0.5, getattr(network, how))
    again = threading.Timer(0.5 + seconds, network.recover)
    for timer in (cut, again):
        timer.start()
    reply = relay.execute_interactive(
        code, timeout=seconds + patience(), output_hook=outputs.append
    )
    took = time.monotonic() - started
    assert reply["content"]["status"] == "ok", reply["content"]
    assert printed(outputs, "stdout").split() == [str(n) for n in range(many)]
    assert printed(outputs, "stderr") == ""
    return {"cell": many / 10, "took": round(took, 1)}


class Notes:
    """Where a cell here shows its progress."""

    def __init__(self):
        self.lines = []

    def note(self, line):
        self.lines.append(line)

    redraw = note


@pytest.mark.parametrize("seconds", [0.05, 2])
def test_a_cell_here_goes_on_while_the_network_is_cut(client, session, network, seconds, capsys):
    cut_in_a_cell_here(Elsewhere(client, network), network, seconds, capsys)


def cut_in_a_cell_here(client, network, seconds, capsys):
    """Cut the network while a cell of `%%gpu` prints, and while it ends."""
    notes = Notes()

    def cell(code):
        run_cell(client, read_line("exp-1"), code, cells.Notebook("", "a-key"), notes, {})
        return capsys.readouterr().out

    def cut():
        network.refuse()
        threading.Timer(seconds, network.recover).start()

    cell("kept = 41")
    threading.Timer(1, cut).start()
    printed = cell("import time\nfor n in range(40): print(n, flush=True); time.sleep(0.1)")
    assert printed.split() == [str(n) for n in range(40)]
    threading.Timer(1, cut).start()
    assert cell("import time\ntime.sleep(1.5)\nprint(kept + 1)") == "42\n"
    assert seconds < 1 or "The connection to exp-1 is lost: trying again …" in notes.lines
