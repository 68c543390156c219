"""The subject of a storm: controllers of one state folder, and the responses to users."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jupyter_gpuquota import Client
from jupyter_gpuquota.errors import (
    Conflict,
    GpuQuotaError,
    NameTaken,
    NoServer,
    NotFound,
    OutcomeUnknown,
    StorageFailed,
    Unavailable,
)
from jupyter_gpuquota.local.folders.folders import SessionFolder
from jupyter_gpuquota.model.sessions import Kind, Session
from tests.waiting import patience

UNANSWERED = {error.code for error in (NoServer, OutcomeUnknown, Unavailable)}
"""The codes after which a change may have been made or not."""
MOVING = {"starting", "stopping"}
GONE = "gone"
BEGUN = b"begun\n"
AFTER = {
    "launch": "running",
    "resume": "running",
    "stop": "stopped",
    "suspend": "suspended",
    "delete": GONE,
}
"""What a verb leads to."""
CONFIG = {
    "GpuQuota": {"projects": [{"name": "team-a", "quota": "64"}, {"name": "full", "quota": "0.1"}]},
    "LocalConfig": {
        "devices": "simulated",
        "simulated_nodes": [{"name": f"dgx1-{n}", "gpus": 16} for n in range(4)],
        "stop_grace": 5.0,
    },
}


@dataclass
class Told:
    """What was answered of one session: the states that may be true now.

    `hurt` if its shim was killed while it was on its way somewhere, or it was to start on a full
    disk: then it may have failed.
    `lines` is how often its command has begun.
    """

    may: set[str] = field(default_factory=lambda: {GONE})
    hurt: bool = False
    lines: int = 0


class Fleet:
    """One state folder; `problems` are what must never be."""

    def __init__(self, home: Path, rng: random.Random) -> None:
        self.home = home
        self.rng = rng
        self.sessions: dict[str, Told] = {}
        self.quotas: dict[str, set[int]] = {}
        """What the quota of each project may be."""
        self.changes = {"acknowledged": 0, "ambiguous": 0}
        self.audited: set[tuple[str, str]] = set()
        """Entries of the audit log that were seen."""
        self.counts = {"kills": 0, "shims": 0, "requests": 0, "refused": 0, "ambiguous": 0}
        self.problems: list[str] = []
        self.full = False
        """Whether the disk is: then a session may have to wait for room."""
        self._quota = 0
        self._started: list[subprocess.Popen[bytes]] = []

    @property
    def client(self) -> Client:
        return Client(state_dir=self.home, backend="local", project="team-a")

    # ── Processes ────────────────────────────────────────────────────────────

    def start(self) -> None:
        """Start a controller and do not wait for it."""
        self._reap()
        words = ["--backend=local", f"--state-dir={self.home}"]
        command = [sys.executable, "-m", "jupyter_gpuquota.controller", *words]
        null = subprocess.DEVNULL
        self._started.append(subprocess.Popen(command, stdin=null, stdout=null, stderr=null))

    def ready(self) -> None:
        """Wait until a controller responds, starting one if needed."""
        self.until(self._answers, "no controller answers")

    def _answers(self) -> bool:
        try:
            self.client.about()
        except Unavailable:
            return False
        return True

    def kill(self) -> None:
        """Kill all controllers of the folder, those that are starting included."""
        for pid in self._controllers():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.counts["kills"] += 1
        self._reap()

    def kill_shim(self, busy: Iterable[str]) -> None:
        """Kill the shim of a session; one of those that are busy may fail by that."""
        folders = [SessionFolder(path) for path in sorted(self.home.glob("sessions/s*"))]
        living = [folder for folder in folders if folder.shim_lives() and folder.last_leader()]
        if not living:
            return
        folder = self.rng.choice(living)
        spec = folder.load().value.spec
        if spec.name in busy:
            self.sessions[spec.name].hurt = True
        with suppress(ProcessLookupError):
            os.kill(folder.last_leader().shim, signal.SIGKILL)
        self.counts["shims"] += 1

    def stop(self) -> None:
        """Stop the controllers and wait until they have exited."""
        for pid in self._controllers():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)
        self.until(lambda: not self._controllers(), "a controller does not leave")

    def _controllers(self) -> list[int]:
        self._reap()
        found = []
        for entry in os.scandir("/proc"):
            with suppress(OSError):
                words = Path(entry.path, "cmdline").read_bytes().split(b"\0")
                if b"jupyter_gpuquota.controller" in words and self._named_in(words):
                    found.append(int(entry.name))
        return found

    def _named_in(self, words: list[bytes]) -> bool:
        return any(word.endswith(str(self.home).encode()) for word in words)

    def _reap(self) -> None:
        self._started = [process for process in self._started if process.poll() is None]

    def marked(self) -> dict[str, int]:
        """Count the processes of each session of this folder."""
        return dict(Counter(session for session in self.processes().values() if session))

    def processes(self) -> dict[int, str]:
        """Map the processes that this folder has started to their sessions; a shim's is empty."""
        found: dict[int, str] = {}
        for entry in os.scandir("/proc"):
            with suppress(OSError):
                words = Path(entry.path, "environ").read_bytes().split(b"\0")
                env = dict(word.split(b"=", 1) for word in words if b"=" in word)
                if env.get(b"GPUQUOTA_STATE_DIR") == str(self.home).encode():
                    found[int(entry.name)] = env.get(b"GPUQUOTA_SESSION", b"").decode()
        return found

    # ── Requests ─────────────────────────────────────────────────────────────

    def at_once(self, asked: Iterable[tuple[str, str]], meanwhile: Callable[[], None]) -> None:
        """Send several requests concurrently and do something meanwhile."""
        with ThreadPoolExecutor(8) as pool:
            futures = [pool.submit(self.ask, verb, name) for verb, name in asked]
            meanwhile()
            for future in futures:
                future.result()

    def ask(self, verb: str, name: str) -> str:
        """Send a request as a user does; return the error's code, empty without one."""
        self.counts["requests"] += 1
        if verb == "put":
            return self._put(name)
        told = self.sessions.setdefault(name, Told())
        before = set(told.may)
        waits = verb == "launch" and name.startswith("waits")
        after = "waiting" if waits else AFTER[verb]
        told.may = before | {after}  # until there is an answer
        code = self._try(lambda: self._send(verb, name))
        if not code:
            told.may = {after}
        elif code not in UNANSWERED:
            told.may = before
            lost = code == "NotFound" and GONE not in before
            if lost or (code == "NameTaken" and before == {GONE}):
                self.problems.append(f"{verb} {name}: {code}, but it is {before}")
        return code

    def _send(self, verb: str, name: str) -> None:
        sessions = self.client.sessions
        if verb == "launch":
            command = ["sh", "-c", "echo begun; exec sleep 600"]
            kind: Kind = "interactive" if _project(name) == "full" else "train"
            sessions.submit(name, project=_project(name), kind=kind, gpu=0.1, command=command)
        else:
            getattr(sessions, verb)(f"{_project(name)}/{name}")

    def _put(self, name: str) -> str:
        self._quota += 1  # another one each time, so that every change is one
        quota, before = self._quota, self.quotas.get(name, {0})
        self.quotas[name] = before | {quota}
        code = self._try(lambda: self.client.projects.put(name, quota=quota))
        if not code:
            self.quotas[name] = {quota}
            self.changes["acknowledged"] += 1
        elif code in UNANSWERED:
            self.changes["ambiguous"] += 1
        else:
            self.quotas[name] = before
        return code

    def _try(self, request: Callable[[], Any]) -> str:
        try:
            request()
        except Unavailable as error:
            self.counts["ambiguous"] += 1
            return error.code
        except (Conflict, NameTaken, NotFound, StorageFailed) as error:
            self.counts["refused"] += 1
            return error.code
        except GpuQuotaError as error:
            self.problems.append(f"{error.code}: {error}")
            return error.code
        return ""

    # ── What must be true ────────────────────────────────────────────────────

    def until(self, condition: Callable[[], Any], problem: str) -> None:
        deadline = time.monotonic() + patience()
        while not condition():
            if time.monotonic() > deadline:
                self.problems.append(problem)
                return
            time.sleep(0.05)

    def check(self) -> None:
        """Wait until all is settled; record differences from the responses to users."""
        deadline = time.monotonic() + patience()
        while (found := self._differences()) and time.monotonic() < deadline:
            time.sleep(0.1)
        self.problems += found

    def _differences(self) -> list[str]:
        try:
            client = self.client
            sessions = {s.spec.name: s for s in client.sessions.list()}
            projects = {project.name: project.quota for project in client.projects.list().items}
            page = client.audit(limit=1000)
            audit = [(entry.id, entry.what) for entry in page.items]
        except GpuQuotaError as error:
            return [f"no answer: {error}"]
        found = [f"{name} is unknown" for name in sessions.keys() - self.sessions.keys()]
        for name, told in self.sessions.items():
            found += self._of_session(name, told, sessions.get(name))
        for name, may in self.quotas.items():
            if (quota := projects.get(name, 0) // 1000) not in may:
                found.append(f"the quota of {name} is {quota}, not one of {may}")
        found += self._of_audit(audit)
        known = {session.id for session in sessions.values()}
        found += [f"{count} orphans of {i}" for i, count in self.marked().items() if i not in known]
        if not found:
            self._settle(sessions, projects, audit)
        return found

    def _of_session(self, name: str, told: Told, session: Session | None) -> list[str]:
        state = session.state if session else GONE
        hurt = {"failed", "waiting"} if self.full else {"failed"}
        if state not in told.may | (hurt if told.hurt else set()):
            return [f"{name} is {state}, not one of {told.may}"]
        if session is None:
            return []
        found = []
        processes = self.marked().get(session.id, 0)
        if state in MOVING or processes != (1 if state == "running" else 0):
            found.append(f"{name} is {state} and has {processes} processes")
        lines = self._lines(session)
        if not told.lines <= lines <= session.run:
            found.append(
                f"{name} has begun {lines} times (before: {told.lines}; {session.run} runs)"
            )
        return found

    def _of_audit(self, audit: list[tuple[str, str]]) -> list[str]:
        found = [f"the audit log lost {entry}" for entry in self.audited - set(audit)]
        numbers = [int(number) for number, _ in audit]
        if numbers != list(range(len(numbers) + 1, 1, -1)):
            found.append(f"the audit log has gaps: {numbers}")
        changes = sum("project p" in what for _, what in audit)
        least = self.changes["acknowledged"]
        if not least <= changes <= least + self.changes["ambiguous"]:
            found.append(f"the audit log has {changes} changes, not {self.changes}")
        return found

    def _lines(self, session: Session) -> int:
        log = self.home / "sessions" / session.id / "log"
        return log.read_bytes().count(BEGUN) if log.exists() else 0

    def _settle(
        self, sessions: dict[str, Session], projects: dict[str, int], audit: list[tuple[str, str]]
    ) -> None:
        """Remember what is true, where several things might have been."""
        for name in list(self.sessions):
            if name not in sessions:
                del self.sessions[name]
                continue
            told, session = self.sessions[name], sessions[name]
            if told.hurt and session.state == "waiting":
                continue  # until there is room
            told.may, told.hurt, told.lines = {session.state}, False, self._lines(session)
        self.quotas = {name: {projects.get(name, 0) // 1000} for name in self.quotas}
        self.audited = set(audit)

    def end(self) -> None:
        """End all sessions and the controllers; note what is left, and a damaged file."""
        for name, told in list(self.sessions.items()):
            if told.may & {"running", "waiting"}:
                self.ask("stop", name)
        self.check()
        self.stop()
        with closing(sqlite3.connect(self.home / "state.db")) as database:
            (verdict,) = database.execute("PRAGMA integrity_check").fetchone()
        if verdict != "ok":
            self.problems.append(f"integrity_check: {verdict}")
        if left := self.marked():
            self.problems.append(f"processes are left: {left}")

    def report(self) -> dict[str, Any]:
        """Return the figures."""
        return {**self.counts, "problems": self.problems}


def _project(name: str) -> str:
    """Return the project of a session: in `full` one runs, and all others wait."""
    return "full" if name.startswith(("keeps", "waits")) else "team-a"
