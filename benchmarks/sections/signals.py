"""The cost of polling the activity of many sessions."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

import msgspec

from jupyter_gpuquota.control.clock import Clock
from jupyter_gpuquota.control.signals.presence import Presence
from jupyter_gpuquota.core.idle.policy import BUILT_IN, Limits
from jupyter_gpuquota.local.config import LocalConfig
from jupyter_gpuquota.local.folders.folders import Launch, Leader, SessionFolder
from jupyter_gpuquota.local.gpus.devices import Devices
from jupyter_gpuquota.local.shim import procfs
from jupyter_gpuquota.local.signals.signals import Signals
from jupyter_gpuquota.model.resources import Share
from jupyter_gpuquota.model.sessions import Session, SessionSpec

from ..context import Context
from ..errors import CouldNotMeasure
from ..measuring import memory
from ..measuring.report import Report, ms
from ..measuring.timing import wait_until

TITLE = "looking at sessions' activity"
SESSIONS, KERNELS, EVERY = 200, 2, 30
LIMITS = Limits(**{name: getattr(BUILT_IN, name) for name in Limits.__slots__})
_SIMULATED = Path(__file__).parents[1] / "simulated"


def measure(context: Context) -> Report:
    """Poll sessions with two kernels each that print and run cells continuously."""
    report = Report()
    count, looks = context.rounds(SESSIONS, 20), context.rounds(10, 3)
    with TemporaryDirectory() as name, _publishing(count * KERNELS) as (ports, publisher):
        sessions, processes = _launch(Path(name), count, ports)
        try:
            first, cost, wall, held = asyncio.run(_look(Path(name), sessions, publisher, looks))
        finally:
            for process in processes:
                os.killpg(process.pid, 9)
                process.wait()
    share = cost / EVERY
    table = report.table(
        f"{count} sessions, {count * KERNELS} kernels", "", "CPU", "lasts", "holds"
    )
    table.add("the first look", ms(first), "", "")
    table.add("each later one", ms(cost), ms(wall), f"{held / 2**20:.1f} MiB")
    report.judge(
        f"CPU of looking every {EVERY} s", f"{share:.2%} of a core", "at most 2%", met=share <= 0.02
    )
    return report


async def _look(
    folder: Path, sessions: list[Session], publisher: subprocess.Popen[str], looks: int
) -> tuple[float, float, float, int]:
    """Return the CPU time of the first and a later poll, its wall time, and memory."""
    config = LocalConfig(root_dir=str(folder), devices="simulated")
    before, clock = memory.proportional(os.getpid()), Clock()
    signals = Signals(
        lambda session: SessionFolder(folder / session.id),
        Devices(config, None),
        clock,
        Presence(clock, _fingerprint),
    )
    limits = {session.id: LIMITS for session in sessions}
    begin = time.process_time()
    await signals.read(sessions, limits)
    first = time.process_time() - begin
    for _ in range(3):  # by then all are listened to
        await signals.read(sessions, limits)
    spent = lasted = 0.0
    for _ in range(looks):
        _say(publisher)
        cpu, wall = time.process_time(), time.perf_counter()
        found = await signals.read(sessions, limits)
        spent += time.process_time() - cpu
        lasted += time.perf_counter() - wall
    # Their CPU is left out: answering our polls, one right after another, keeps them busy.
    seen = {(r.name, r.state) for each in found.values() for r in each if r.name != "cpu"}
    if seen != {(name, "idle") for name in ("presence", "kernels", "terminals", "io")}:
        message = f"the sessions are not seen as what they are: {sorted(seen)}"
        raise CouldNotMeasure(message)
    held = memory.proportional(os.getpid()) - before
    await signals.close()
    return first, spent / looks, lasted / looks, held


@contextmanager
def _publishing(count: int) -> Iterator[tuple[list[int], subprocess.Popen[str]]]:
    program = subprocess.Popen(
        [sys.executable, str(_SIMULATED / "publisher.py"), str(count)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with program:
        yield json.loads(_pipe(program.stdout).readline()), program
        program.kill()


def _say(publisher: subprocess.Popen[str]) -> None:
    _pipe(publisher.stdin).write("\n")
    _pipe(publisher.stdin).flush()
    _pipe(publisher.stdout).readline()


def _launch(
    root: Path, count: int, ports: list[int]
) -> tuple[list[Session], list[subprocess.Popen[bytes]]]:
    sessions, processes = [], []
    for number in range(count):
        session = _session(f"s{number}", str(root))
        folder = SessionFolder(root / session.id)
        folder.runtime.mkdir(parents=True)
        for kernel in range(KERNELS):
            port = ports[number * KERNELS + kernel]
            file = folder.runtime / f"kernel-{number}-{kernel}.json"
            file.write_text(json.dumps({"iopub_port": port}))
        base = f"/gpuquota/s/{session.id}/"
        script = str(_SIMULATED / "fake_server.py")
        command = [sys.executable, "-S", script, str(folder.runtime), base]
        env = os.environ | {"GPUQUOTA_SESSION": session.id}
        process = subprocess.Popen(command, env=env, start_new_session=True)
        stat = procfs.read_stat(process.pid)
        if stat is None:
            message = "a fake session has ended"
            raise CouldNotMeasure(message)
        _note(folder, session, process.pid, stat.ticks)
        sessions.append(session)
        processes.append(process)
    wait_until(
        lambda: all(any((root / r.id / "runtime").glob("jps*")) for r in sessions),
        "the fake sessions start",
        poll=0.1,
    )
    return sessions, processes


def _note(folder: SessionFolder, session: Session, pid: int, ticks: int) -> None:
    """Write what a shim and its controller write of a session."""
    boot = procfs.boot_id()
    leader = Leader(run=0, pid=pid, ticks=ticks, boot=boot, shim=os.getpid())
    launch = Launch(
        id=session.id,
        run=0,
        boot=boot,
        argv=(),
        env={},
        folder=str(folder.path),
        grace=1.0,
        log_bytes=1,
        log_files=1,
    )
    (folder.path / "leader.json").write_bytes(msgspec.json.encode(leader))
    (folder.path / "launch.json").write_bytes(msgspec.json.encode(launch))


def _session(name: str, folder: str) -> Session:
    now = datetime.now(UTC)
    spec = SessionSpec(
        name=name,
        project="team-a",
        kind="interactive",
        share=Share(),
        environment=sys.prefix,
        folder=folder,
    )
    return Session(id=name, spec=spec, owner="me", state="running", since=now, created=now, path="")


def _pipe(end: IO[str] | None) -> IO[Any]:
    if end is None:
        message = "a pipe is missing"
        raise CouldNotMeasure(message)
    return end


async def _fingerprint(_session: Session, _path: str) -> str:
    return ""
