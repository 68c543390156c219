"""How many requests a command sends: names are resolved by the server."""

from __future__ import annotations

import pytest

from jupyter_gpuquota import Client
from jupyter_gpuquota.ui.command import run
from jupyter_gpuquota.ui.grammar import parse, split_line
from tests.client.inmemory import InMemory
from tests.ui.conftest import Notes


@pytest.mark.parametrize(
    ("line", "sent"),
    [
        ("list", ["GET /sessions", "GET /quota"]),  # whether there are projects to name
        ("stop exp-1", ["POST /sessions/exp-1/stop"]),
        ("stop team-a/exp-1", ["POST /sessions/team-a~exp-1/stop"]),
        ("stop -p team-a exp-1", ["POST /sessions/team-a~exp-1/stop"]),
        ("suspend exp-1", ["POST /sessions/exp-1/suspend"]),
        ("keep-alive exp-1 1h", ["POST /sessions/exp-1/keep-alive"]),
        ("logs exp-1 --tail 5", ["GET /sessions/exp-1/log?tail=5"]),
        (
            "resize exp-1 -g 0.25",  # which kernels would lose their memory is said first
            [
                "GET /sessions/exp-1",
                "GET /sessions/{id}/endpoint?same_origin=True",
                "POST /sessions/{id}/resize",
            ],
        ),
        ("open exp-1", ["GET /sessions/exp-1"]),
        (
            "describe exp-1",
            [
                "GET /sessions/exp-1",
                "GET /sessions/{id}/advice",
                "GET /sessions/{id}/policy",
                "GET /quota",
            ],
        ),
        (
            "policy explain exp-1",
            ["GET /sessions/exp-1", "GET /sessions/{id}/policy", "GET /sessions/{id}/activity"],
        ),
    ],
)
@pytest.mark.parametrize("shell", [False, True])
def test_a_command_sends_as_few_requests_as_it_can(
    client: Client, transport: InMemory, line: str, sent: list[str], *, shell: bool
) -> None:
    session = client.sessions.submit("exp-1", gpu=0.5, project="team-a")
    transport.seen.clear()
    run(client, parse(split_line(line), terminal=shell), Notes(shell=shell))
    found = [f"{message.method} {message.target}" for message in transport.seen]
    assert found == [line.format(id=session.id) for line in sent]


def test_delete_is_one_request_too(client: Client, transport: InMemory) -> None:
    client.sessions.submit("exp-1", project="team-a")
    client.sessions.stop("exp-1")
    transport.seen.clear()
    run(client, parse(split_line("delete exp-1"), terminal=False), Notes())
    assert [f"{m.method} {m.target}" for m in transport.seen] == ["DELETE /sessions/exp-1"]
