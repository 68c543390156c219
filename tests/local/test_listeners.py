"""The process that listens on a port."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from jupyter_gpuquota.errors import WrongState
from jupyter_gpuquota.local.capabilities import Endpoints
from jupyter_gpuquota.local.folders.folders import SessionFolder
from jupyter_gpuquota.local.processes.listeners import listens, ports_of
from scripts.ports import free_port, free_ports
from tests.builders import make_session

SESSION = make_session("a", ports=(6006,))

PROGRAM = """
import json, socket, sys
held = []
for line in sys.stdin:
    host, port = json.loads(line)
    for listener in held if not port else ():
        listener.close()
    if port:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        held.append(socket.socket(family))
        if host == "::":
            held[-1].setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        held[-1].setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        held[-1].bind((host, port))
        held[-1].listen()
    print("done", flush=True)
"""


class Program:
    """A process that listens on given ports, with or without a session's mark."""

    def __init__(self, mark: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "GPUQUOTA_SESSION": mark},
        )
        self.pid = self._process.pid

    def listen(self, host: str, port: int) -> None:
        self._tell(host, port)

    def stop(self) -> None:
        """Close every port, and keep running."""
        self._tell("", 0)

    def close(self) -> None:
        with self._process:
            self._process.kill()

    def _tell(self, *words: Any) -> None:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps(words) + "\n")
        self._process.stdin.flush()
        assert self._process.stdout.readline() == "done\n"


@pytest.fixture
def opened() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def own(opened: ExitStack) -> Program:
    return opened.enter_context(closing(Program(SESSION.id)))


@pytest.fixture
def stranger(opened: ExitStack) -> Program:
    return opened.enter_context(closing(Program("")))


@pytest.fixture
def port() -> int:
    return free_port()


@pytest.mark.parametrize(
    ("host", "reached"),
    [
        ("127.0.0.1", "127.0.0.1"),
        ("0.0.0.0", "127.0.0.1"),  # noqa: S104 (not bound)
        ("::1", "::1"),
        ("127.0.0.2", ""),
    ],
)
def test_a_process_is_reached_where_it_listens(
    own: Program, stranger: Program, port: int, host: str, reached: str
) -> None:
    own.listen(host, port)
    assert listens(own.pid, port) == reached
    assert listens(stranger.pid, port) == ""
    assert listens(own.pid, port + 1) == ""
    own.stop()
    assert listens(own.pid, port) == ""


def test_all_ports_of_processes_are_told(own: Program, stranger: Program) -> None:
    first, second, others = sorted(free_ports(range(3)).values())
    for host, number in (("127.0.0.1", second), ("::", first)):
        own.listen(host, number)
    stranger.listen("127.0.0.1", others)
    assert ports_of([own.pid]) == (first, second)
    assert ports_of([own.pid, stranger.pid, 2**22]) == (first, second, others)
    own.stop()
    assert ports_of([own.pid]) == ()


def test_a_stranger_who_stands_closer_is_not_taken_for_the_session(
    own: Program, stranger: Program, port: int
) -> None:
    own.listen("::", port)
    stranger.listen("127.0.0.1", port)
    assert listens(own.pid, port) == "::1"


def test_a_port_that_was_the_sessions_is_not_named_after_it_was_given_up(
    own: Program, stranger: Program, port: int, tmp_path: Path
) -> None:
    endpoints, folder = Endpoints(), SessionFolder(tmp_path)
    own.listen("127.0.0.1", port)
    for _ in range(2):  # the second time it is known who listens
        assert endpoints.find(SESSION, folder, port).port == port
    own.stop()
    with pytest.raises(WrongState):
        endpoints.find(SESSION, folder, port)
    stranger.listen("127.0.0.1", port)
    with pytest.raises(WrongState):
        endpoints.find(SESSION, folder, port)


def test_another_process_of_the_session_may_listen_next(
    own: Program, port: int, tmp_path: Path, opened: ExitStack
) -> None:
    endpoints, folder = Endpoints(), SessionFolder(tmp_path)
    own.listen("127.0.0.1", port)
    assert endpoints.find(SESSION, folder, port).host == "127.0.0.1"
    own.close()
    other = opened.enter_context(closing(Program(SESSION.id)))
    other.listen("::1", port)
    assert endpoints.find(SESSION, folder, port).host == "::1"
