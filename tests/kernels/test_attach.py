"""A kernel in a real session, over its own sockets."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from jupyter_gpuquota.errors import NotFound
from jupyter_gpuquota.kernels.attach import AttachedKernel, attach
from jupyter_gpuquota.kernels.channels.port import ChannelsLost
from jupyter_gpuquota.kernels.messages import Message
from jupyter_gpuquota.kernels.session_server import SessionServer
from tests.kernels.conftest import ME, ended, request, run, text, until


@pytest.fixture(scope="module")
def kernel(client, session):
    kernel = attach(SessionServer.find(client.context, session.id), "here/analysis.ipynb")
    yield kernel
    kernel.shut_down()


@pytest.fixture
def channels(kernel):
    channels = kernel.channels()
    yield channels
    channels.close()


def test_a_cell_runs_on_the_share_of_the_session(channels):
    found = run(channels, "import os; print(os.environ['GPUQUOTA_SHARE'])")
    assert text(found) == "0.5 GPU\n"
    (reply,) = [m for m in found if m.channel == "shell"]
    assert reply.read()["status"] == "ok"


def test_a_notebook_finds_its_kernel_again(server, kernel, channels):
    run(channels, "kept = 41")
    again = attach(server, "here/analysis.ipynb")
    assert again == AttachedKernel(server, kernel.id)
    other = again.channels()
    assert text(run(other, "print(kept + 1)")) == "42\n"
    other.close()


def test_programs_that_start_a_notebooks_kernel_at_once_share_it(server):
    path = "here/both.ipynb"
    with ThreadPoolExecutor(3) as pool:
        found = set(pool.map(lambda _: attach(server, path), range(3)))
    (kernel,) = found
    assert [s.kernel.id for s in server.sessions() if s.path == path] == [kernel.id]
    kernel.shut_down()


def test_input_is_asked_of_who_runs_the_cell(channels):
    asked = request("print('Hello', input('Name? '))", allow_stdin=True)
    asked.idents = [b"who", b"runs it"]
    channels.send(asked)
    *_, question = until(channels, lambda message: message.channel == "stdin")
    assert question.read()["prompt"] == "Name? "
    assert question.idents == asked.idents
    answer = {"value": "Ana"}
    channels.send(Message.new("stdin", "input_reply", answer, session=ME, parent=question.header))
    found = until(channels, ended(asked))
    assert text(found) == "Hello Ana\n"
    assert all(m.idents == asked.idents for m in found if m.channel == "shell")


def test_buffers_arrive_as_they_were_sent(channels):
    echo_buffers(channels)


def echo_buffers(channels):
    """Send buffers to a comm that sends them back."""
    run(
        channels,
        "get_ipython().kernel.comm_manager.register_target('echo', lambda comm, _: comm.on_msg("
        "lambda message: comm.send({}, buffers=message['buffers'])))",
    )
    opened = {"comm_id": "c1", "target_name": "echo", "data": {}}
    channels.send(Message.new("shell", "comm_open", opened, session=ME))
    sent = [bytes(range(256)) * 4096, b"", b"last"]
    said = {"comm_id": "c1", "data": {}}
    channels.send(Message.new("shell", "comm_msg", said, session=ME, buffers=sent))
    *_, echo = until(channels, lambda message: message.kind == "comm_msg")
    assert echo.buffers == sent


def test_an_interrupt_ends_the_cell(kernel, channels):
    asked = request("print('on it', flush=True)\nwhile True: pass")
    channels.send(asked)
    until(channels, lambda message: message.kind == "stream")
    kernel.interrupt()
    found = until(channels, ended(asked))
    (reply,) = [m for m in found if m.channel == "shell"]
    assert reply.read()["ename"] == "KeyboardInterrupt"


def test_a_kernel_that_dies_is_seen_at_once(server):
    kernel = attach(server, "here/other.ipynb")
    channels = kernel.channels()
    run(channels, "1")
    channels.send(request("import os; os._exit(1)"))
    with pytest.raises(ChannelsLost):
        until(channels, lambda _: False)
    channels.close()
    kernel.shut_down()
    with pytest.raises(NotFound, match="not found in the session"):
        kernel.state()
