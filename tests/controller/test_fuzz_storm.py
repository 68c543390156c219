"""Very many random requests: each succeeds or returns a problem, and memory does not grow."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from socket import socket

import psutil
import pytest

from jupyter_gpuquota.hosting.unix import API, UnixConnection
from tests.controller.fuzzing import Fuzzer, Sent, check, exchange
from tests.controller.launcher import Launcher, eventually
from tests.controller.process import Process
from tests.waiting import patience

REQUESTS = 50
"""Requests of a round; the storm in full has 400 rounds of them for each hosting."""

GROWTH = 16 << 20
"""Bytes that a controller may grow by in the second half."""


@dataclass
class Hosted:
    """A live controller."""

    pid: int
    log: Path
    connect: Callable[[], socket]
    tokens: dict[str, str]

    def ask(self, method: str, path: str, body: bytes = b"") -> dict:
        head = f"{method} {API}{path} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n"
        if token := self.tokens.get("root-admin"):
            head += f"Authorization: Bearer {token}\r\n"
        _, answer = exchange(self.connect(), Sent(f"{head}\r\n".encode(), body))
        return json.loads(answer)

    def sessions(self) -> dict[str, str]:
        return {
            each["id"]: each["state"] for each in self.ask("GET", "/sessions?limit=500")["items"]
        }

    def clear(self) -> None:
        """End and delete every session: what is kept for people would grow without an end."""

        def gone() -> bool:
            for session, state in self.sessions().items():
                ended = state in {"finished", "failed", "stopped", "suspended"}
                self.ask(
                    *(
                        ("DELETE", f"/sessions/{session}")
                        if ended
                        else ("POST", f"/sessions/{session}/stop", b"{}")
                    )
                )
            return not self.sessions()

        eventually(gone)


@contextmanager
def unix(folder: Path) -> Iterator[Hosted]:
    launcher = Launcher(folder / "state")

    def connect() -> socket:
        connection = UnixConnection(launcher.location.socket, patience())
        connection.connect()
        return connection.sock

    try:
        process = launcher.start()
        launcher.answering()
        yield Hosted(process.pid, launcher.location.log, connect, {})
    finally:
        launcher.close()


@contextmanager
def https(folder: Path) -> Iterator[Hosted]:
    process = Process(folder)
    with process.running() as port:

        def connect() -> socket:
            connection = process.connection(port)
            connection.connect()
            return connection.sock

        [pid] = [
            each.pid
            for each in psutil.Process().children()
            if str(folder / "state") in " ".join(each.cmdline())
        ]
        yield Hosted(pid, process.log, connect, process.tokens)


@pytest.mark.parametrize("hosting", [unix, https])
def test_every_answer_is_a_success_or_a_problem_and_nothing_grows(
    hosting, tmp_path, rounds, seed, record_testsuite_property
):
    chance, count = Random(f"{seed} {hosting.__name__}"), rounds(400)  # noqa: S311 (no secret)
    with hosting(tmp_path) as controller:
        process = psutil.Process(controller.pid)
        fuzzer = Fuzzer(chance, tuple(controller.tokens.values()))
        seen: Counter[int] = Counter()
        grown: list[tuple[int, int]] = []
        for _ in range(count):
            for _ in range(REQUESTS):
                sent = fuzzer.request()
                status, body = exchange(controller.connect(), sent)
                check(sent, status, body, tuple(controller.tokens.values()))
                seen[status] += 1
            controller.ask("PUT", "/projects/team-a", b'{"quota": 2}')  # it may be gone by now
            fuzzer.known = list(controller.sessions())
            if len(fuzzer.known) > 20:
                controller.clear()
            grown.append((process.memory_info().rss, process.num_fds()))
        assert controller.ask("GET", "/about")["api"]
        said = controller.log.read_text()
    figures = {"statuses": sorted(seen.items()), "memory": [grown[0], grown[-1]], "seed": seed}
    record_testsuite_property(f"fuzz storm, {hosting.__name__}", figures)
    assert "Traceback" not in said
    assert not any(token in said for token in controller.tokens.values())
    middle, last = grown[len(grown) // 2], grown[-1]
    assert last[0] - middle[0] < GROWTH
    assert last[1] <= middle[1] + 2
