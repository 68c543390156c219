"""A terminal as a client receives it."""

from __future__ import annotations

from io import BytesIO

import pytest

from jupyter_gpuquota.client.sessions import Sessions
from jupyter_gpuquota.errors import NotFound
from tests.client.inmemory import InMemory, Surroundings, Written

LINES = b"""{"session": "SESSION", "terminal": "t1"}
{"output": "$ "}
{"result": {"exit_code": 7, "output": ""}}
"""


class Scripted(InMemory):
    """A server whose terminal has shown all already."""

    session = ""

    def listen(self, message):
        self.answer = Written(200, BytesIO(LINES.replace(b"SESSION", self.session.encode())))
        return self.answer


@pytest.fixture
def scripted(backend) -> Scripted:
    transport = Scripted(backend)
    transport.session = Sessions(Surroundings(transport)).submit("exp1").id
    return transport


def test_a_terminal_shows_its_output_and_result(scripted):
    with_terminal = Sessions(Surroundings(scripted)).terminal("exp1", columns=100)
    assert list(with_terminal) == ["$ "]
    assert with_terminal.result.exit_code == 7
    with_terminal.close()
    assert scripted.answer.closed


def test_input_goes_to_the_terminal_that_was_opened(scripted):
    terminal = Sessions(Surroundings(scripted)).terminal("exp1")
    with pytest.raises(NotFound, match="has ended"):
        terminal.write("ls\n")
    assert scripted.seen[-1].target.endswith(f"/sessions/{scripted.session}/terminals/t1")
    assert scripted.seen[-1].body == b'{"text":"ls\\n","columns":0,"rows":0}'
