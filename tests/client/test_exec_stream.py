"""A program's output as a client receives it."""

from __future__ import annotations

from io import BytesIO

import pytest

from jupyter_gpuquota.client.sessions import Sessions
from jupyter_gpuquota.errors import InvalidFields, Unavailable, WrongState
from tests.client.inmemory import InMemory, Surroundings, Written


class Scripted(InMemory):
    """A server that answers with lines that a test has written."""

    lines = b""

    def listen(self, message):
        self.answer = Written(200, BytesIO(self.lines))
        return self.answer


@pytest.fixture
def scripted(backend) -> Scripted:
    transport = Scripted(backend)
    Sessions(Surroundings(transport)).submit("exp1")
    return transport


def test_its_output_comes_before_its_result(sessions):
    sessions.submit("exp1")
    first, last = sessions.exec_stream("exp1", ["echo", "hi"])
    assert (first.output, first.result) == ("echo hi\n", None)
    assert (last.output, last.result.exit_code) == ("", 0)


def test_what_cannot_begin_is_an_error(sessions):
    sessions.submit("exp1")
    with pytest.raises(InvalidFields):
        next(sessions.exec_stream("exp1", "echo hi"))
    sessions.stop("exp1")
    with pytest.raises(WrongState):
        next(sessions.exec_stream("exp1", ["echo"]))


def test_leaving_hangs_up(scripted):
    scripted.lines = b'{"output": "a"}\n{"output": "b"}\n'
    events = Sessions(Surroundings(scripted)).exec_stream("exp1", ["x"])
    assert next(events).output == "a"
    assert not scripted.answer.closed
    events.close()
    assert scripted.answer.closed


@pytest.mark.parametrize(
    ("last", "said"),
    [
        (b"", "ended before"),
        (b'{"problem": {"code": "Unavailable", "message": "The node is gone."}}\n', "node is gone"),
    ],
)
def test_what_goes_wrong_later_is_an_error_after_the_output(scripted, last, said):
    scripted.lines = b'{"output": "a"}\n' + last
    events = Sessions(Surroundings(scripted)).exec_stream("exp1", ["x"])
    assert next(events).output == "a"
    with pytest.raises(Unavailable, match=said):
        next(events)
    assert scripted.answer.closed
