"""The table "What counts as work" of `docs/idle.md`: each row is a real program, all at once.

Looks are taken by hand. Rows of cells are in `test_signals_live.py`.
"""

from __future__ import annotations

import asyncio
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace

import pytest

from jupyter_gpuquota.control.clock import Clock
from jupyter_gpuquota.control.signals.presence import Presence
from jupyter_gpuquota.core.idle.decide import Reading, observe, resume
from jupyter_gpuquota.core.idle.policy import rule_for, subject_of
from jupyter_gpuquota.core.idle.policy_check import check_policy
from jupyter_gpuquota.local.config import LocalConfig
from jupyter_gpuquota.local.folders.folders import Leader
from jupyter_gpuquota.local.gpus.devices import Devices
from jupyter_gpuquota.local.shim import procfs
from jupyter_gpuquota.local.signals.signals import Signals
from jupyter_gpuquota.model.policy import PolicyLevelRequest, PolicyRequest, PolicyRulesRequest
from jupyter_gpuquota.model.sessions import Session
from tests.builders import make_session
from tests.local.builders import LIMITS
from tests.waiting import wait_for

pytestmark = pytest.mark.asyncio

PAGE = Path(__file__).parents[2] / "docs" / "idle.md"
LIVE = {
    "a cell, whether it prints or not",
    "a cell that waits in `input()`, `getpass()` or a debugger",
    "a thread of a kernel that prints",
}
"""Rows of `test_signals_live.py`."""

WORK_A_SECOND = """
import os, time
while True:
    with open("steps", "a") as file:
        file.write("1")
        os.fsync(file.fileno())  # without, it reaches the disk within half a minute
    time.sleep(1)
"""
DOWNLOAD = "import urllib.request as r; f = r.urlopen('http://127.0.0.1:{port}/')\n"
THREAD = "import threading, time\ndef work():\n    {0}\nthreading.Thread(target=work).start()\n"
KEYS = "import sys, time, tty\ntty.setcbreak(0)\nwhile True: time.sleep(1); print('now', end='\\r')"
HEARTBEATS = """
import os, socket, time
server = socket.create_server(("127.0.0.1", 0))
if os.fork():
    other, _ = server.accept()
else:
    other = socket.create_connection(server.getsockname())
    server.close()
while True:
    other.send(bytes(10_000))
    time.sleep(0.2)
    other.recv(10_000)
"""
ANSWERS = """
import socket
server = socket.create_server(("127.0.0.1", 0))
print(server.getsockname()[1], flush=True)
page, _ = server.accept()
while True:
    page.sendall(10 * page.recv(100_000))
"""

FULL_SCREEN = "a full-screen program that redraws itself: `top`, `htop`, `watch nvidia-smi`, `tmux`"
POLLED = "a server that pages poll, for example TensorBoard"
FED = "a server that other machines send data to"
FROM_OUTSIDE = {POLLED: 500, FED: 50_000}
"""Bytes that are sent to servers at each look."""


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


@dataclass
class Case:
    """A row of the table: programs that are the same to it."""

    programs: list[list[str]]
    terminal: bool = False


def cases(port: int) -> dict[str, Case]:
    """Return the rows by what runs."""
    download = DOWNLOAD.format(port=port)
    busy = "while True: sum(range(100_000)); time.sleep(0.01)"
    compute = f"import time\n{busy}"
    copy = ["dd", "if=/dev/zero", "of=copy", "bs=4k", "count=1000000", "oflag=dsync", "status=none"]
    return {
        "a thread of a kernel that computes": Case([python(THREAD.format(busy))]),
        "a thread of a kernel that downloads": Case(
            [python(f"{download}{THREAD.format('while f.read(9999): pass')}")]
        ),
        "an asyncio task of a kernel that writes a file each second": Case([python(WORK_A_SECOND)]),
        "a download that a cell has started with `Popen`": Case(
            [["sh", "-c", f'"{sys.executable}" -c "{download}while f.read(9999): pass"; true']]
        ),
        "a program behind `nohup` that computes": Case([["nohup", *python(compute)]]),
        "a program behind `nohup` that hardly gets a processor": Case(
            [["nohup", "nice", "-n", "19", *python(compute)]]
        ),
        "a program behind `nohup` that writes each second": Case(
            [["nohup", *python(WORK_A_SECOND)]]
        ),
        "a copy to a disk that waits for it": Case([copy]),
        "a download in a terminal, silent or not": Case(
            [
                python(f"{download}while f.read(9999): pass"),
                python(f"{download}while f.read(9999): print('.', end='', flush=True)"),
            ],
            terminal=True,
        ),
        "a program in a terminal that prints a line now and then": Case(
            [["sh", "-c", "while :; do sleep 3; echo step; done"]], terminal=True
        ),
        "a program in a terminal that prints nothing and sleeps": Case(
            [["sleep", "1000"]], terminal=True
        ),
        "a program in a terminal that waits for a line": Case(
            [["cat"], python("input('name? ')")], terminal=True
        ),
        FULL_SCREEN: Case(
            [python(KEYS), *installed(["top", "-d", "1"], ["watch", "-n", "1", "date"])],
            terminal=True,
        ),
        "a pager, an editor or a shell that waits for keys": Case(
            [["bash", "--norc", "-i"], *installed(["less", str(PAGE)])], terminal=True
        ),
        "a connection to a service that is only kept open": Case(
            [
                python(
                    f"import socket, time\ns = socket.create_connection(('127.0.0.1', {port}))\n"
                    "while True: s.send(bytes(50)); time.sleep(0.2)"
                )
            ]
        ),
        POLLED: Case([python(ANSWERS)]),
        FED: Case([python(ANSWERS)]),
        "two programs of a session that exchange heartbeats": Case([python(HEARTBEATS)]),
    }


def installed(*programs: list[str]) -> list[list[str]]:
    return [program for program in programs if shutil.which(program[0])]


def table() -> dict[str, tuple[str, str]]:
    """Return the rows of the page: what runs, what it counts as, and by which signal."""
    text = PAGE.read_text(encoding="utf-8").partition("### What counts as work")[2]
    rows = re.findall(r"^\| (.+?) \| (work|idle) \| (?:`(\w+)` )?\|$", text, re.MULTILINE)
    return {what: (counts, by) for what, counts, by in rows}


class Slow(BaseHTTPRequestHandler):
    """Sends 200 kB a second without an end."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        with suppress(OSError):  # who downloads has ended
            while not self.server.ends.wait(0.1):
                self.wfile.write(bytes(20_000))

    def log_message(self, *args: object) -> None:
        pass


@contextmanager
def downloads() -> Iterator[int]:
    """Serve downloads; yield the port."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Slow)
    server.ends = threading.Event()
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield server.server_port
    finally:
        server.ends.set()
        server.shutdown()
        thread.join()
        server.server_close()


@dataclass
class Programs:
    """Programs that run, each as the first process of a session."""

    folder: Path
    pids: dict[str, int] = field(default_factory=dict)
    started: list[subprocess.Popen[bytes]] = field(default_factory=list)
    terminals: list[int] = field(default_factory=list)

    def start(self, name: str, argv: list[str], *, terminal: bool) -> None:
        place = self.folder / name
        place.mkdir()
        if not terminal:
            with (place / "printed").open("wb") as printed:
                options = {"stdin": subprocess.DEVNULL, "stdout": printed}
                started = subprocess.Popen(argv, cwd=place, start_new_session=True, **options)
            self.started.append(started)
            self.pids[name] = started.pid
            return
        self.pids[name], ours = pty.fork()
        if self.pids[name] == 0:
            os.chdir(place)
            os.execvpe(argv[0], argv, os.environ | {"TERM": "xterm"})  # noqa: S606 (a row of the table)
        os.set_blocking(ours, False)
        self.terminals.append(ours)

    def drain(self) -> None:
        """Take what was printed: a full terminal would stop its program."""
        for terminal in self.terminals:
            with suppress(OSError):
                while os.read(terminal, 65_536):
                    pass

    def end(self) -> None:
        own = {process.pid: process for process in self.started}
        for pid in self.pids.values():
            os.killpg(pid, signal.SIGKILL)
            if pid in own:
                own[pid].wait()
            else:
                os.waitpid(pid, 0)
        for terminal in self.terminals:
            os.close(terminal)


@contextmanager
def running(folder: Path) -> Iterator[Programs]:
    programs = Programs(folder)
    try:
        yield programs
    finally:
        programs.end()


def folder_of(programs: Programs, session: Session) -> SimpleNamespace:
    found = procfs.read_stat(programs.pids[session.spec.name])
    leader = Leader(run=0, pid=found.pid, ticks=found.ticks, boot=procfs.boot_id(), shim=0)
    return SimpleNamespace(leader=lambda _: leader)


async def nothing_saved(session: Session, path: str) -> str:
    raise AssertionError(path)


@dataclass
class Seen:
    """What was seen of a session: by which signals it was busy, and its looks."""

    looks: list[dict[str, Reading]] = field(default_factory=list)

    def by(self) -> set[str]:
        """Return the signals by which it works, after the first moments."""
        if len(self.looks) <= SETTLED:
            return set()
        first, *rest = self.looks[SETTLED:]
        return {
            name
            for look in rest
            for name, reading in look.items()
            if reading.state == "busy"
            or (reading.last and first[name].last and reading.last > first[name].last)
        }


SETTLED = 8
"""Looks until programs have started: by then they have read what they are made of."""
PAUSE = 0.4
MINUTE = timedelta(minutes=1)
RULES = PolicyRulesRequest(idle_timeout="30m", warn_before="5m")
"""More looks than there are in the 8 seconds to which the system knows a terminal's times."""


async def test_each_row_of_the_table_is_what_it_counts_as(on_disk: Path) -> None:
    known = table()
    with downloads() as port, running(on_disk) as programs:
        rows, signals_of = cases(port), {}
        assert rows.keys() | LIVE == known.keys()
        for row, case in rows.items():
            for number, argv in enumerate(case.programs):
                name = f"{row} ({number})".replace("/", "-")
                signals_of[name] = known[row][1]
                programs.start(name, argv, terminal=case.terminal)
        printed = {on_disk / f"{row} (0)" / "printed": sent for row, sent in FROM_OUTSIDE.items()}
        await look_at(programs, signals_of, printed)


async def look_at(programs: Programs, signals_of: dict[str, str], printed: dict[Path, int]) -> None:
    """Look at sessions until each is busy by its signal, or ended where it has none.

    Meanwhile servers are sent bytes from outside: `printed` maps the files with their ports to
    how many.
    """
    sessions = [make_session(name, state="running", command=("true",)) for name in signals_of]
    devices = Devices(LocalConfig(root_dir="/", devices="simulated"), None)
    presence = Presence(Clock(), nothing_saved)
    signals = Signals(lambda session: folder_of(programs, session), devices, Clock(), presence)
    seen = {name: Seen() for name in signals_of}
    pages = []
    for port_at, size in printed.items():
        port = int(await wait_for(port_at.read_text))
        pages.append((size, *await asyncio.open_connection("127.0.0.1", port)))

    async def look() -> bool:
        for size, reader, writer in pages:
            writer.write(bytes(size))
            await reader.readexactly(10 * size)
        programs.drain()
        found = await signals.read(sessions, {session.id: LIMITS for session in sessions})
        for session in sessions:
            known = {reading.name: reading for reading in found[session.id]}
            seen[session.spec.name].looks.append(known)
        return not wrong()

    def wrong() -> list[str]:
        return [
            f"{name}: {sorted(seen[name].by())}, {seen[name].looks[-1]}"
            for name, by in signals_of.items()
            if not (by in seen[name].by() if by else ended(seen[name]))
        ]

    try:
        await wait_for(look, lambda: "\n".join(wrong()), pause=PAUSE)
    finally:
        for _, _, writer in pages:
            writer.close()
        await signals.close()


def ended(seen: Seen) -> bool:
    """Return whether a policy ends a session, where a minute passes from look to look."""
    level = PolicyLevelRequest(level="everyone", rules=RULES)
    policy = check_policy(PolicyRequest(levels=(level,)), ())
    session, now = make_session(state="running"), datetime.now(UTC)
    track, known, used = resume(None, None, now), {}, {}
    for look in seen.looks[SETTLED:]:
        now += MINUTE
        moved = {name for name, each in look.items() if each.last != known.get(name)}
        known = {name: each.last for name, each in look.items()}
        used |= dict.fromkeys(moved, now)
        readings = [replace(each, last=used.get(name)) for name, each in look.items()]
        ruling = rule_for(policy, subject_of(session), None, now)
        track, event = observe(track, readings, ruling, now, MINUTE)
        if event == "act":
            return True
    return False
