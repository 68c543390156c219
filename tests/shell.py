"""`jupyter gpu` as a user runs it, with a controller, folders and preferences of its own."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import psutil
import pytest

from jupyter_gpuquota import Client
from jupyter_gpuquota.errors import WrongState
from jupyter_gpuquota.model.sessions import LIVE
from jupyter_gpuquota.ui.cli import main
from tests.chosen import settings
from tests.lean import lean_python
from tests.waiting import patience, pause_after

_TURN = threading.RLock()
"""Who runs a command in this process: streams, environment and folder are those of all threads."""

OURS = sys.executable
"""The Python of the tests, with all commands beside it."""

TEAMS = [{"name": "team-a", "quota": "4"}, {"name": "team-b", "quota": "2"}]


@dataclass(frozen=True)
class Ran:
    """How a command ended."""

    code: int
    out: str
    err: str


class _Stream(io.TextIOWrapper):
    """A standard stream that keeps what is written to it, as text and as bytes."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), "utf-8", write_through=True)

    @property
    def text(self) -> str:
        kept = self.buffer
        assert isinstance(kept, io.BytesIO)
        return kept.getvalue().decode()


@dataclass
class Shell:
    """`jupyter-gpu` as a user runs it, in folders of its own.

    Its Python is that of the controller, and of sessions that name no environment.
    """

    folder: Path
    more: dict[str, str] = field(default_factory=dict)
    python: str = field(default_factory=lean_python)

    @property
    def env(self) -> dict[str, str]:
        found = {n: v for n, v in os.environ.items() if n not in ("JUPYTER_NO_CONFIG", "DISPLAY")}
        return {
            **found,
            "PATH": os.pathsep.join(
                [*(str(Path(each).parent) for each in (self.python, OURS)), os.environ["PATH"]]
            ),
            "JUPYTER_CONFIG_DIR": str(self.folder / "config"),
            "JUPYTER_CONFIG_PATH": str(self.folder / "admin"),
            "JUPYTER_DATA_DIR": str(self.folder / "data"),
            "JUPYTER_RUNTIME_DIR": str(self.folder / "runtime"),
            "GPUQUOTA_STATE_DIR": str(self.folder / "state"),
            **self.more,
        }

    def start(self, *words: str, **options: Any) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [self.python, "-W", "error", "-m", "jupyter_gpuquota.ui.cli", *words],
            cwd=options.pop("cwd", self.folder / "work"),
            env=self.env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **options,
        )

    def apart(self, *words: str, typed: str = "") -> Ran:
        """Run a command as a process of its own, as one must that becomes another program."""
        with self.start(*words) as process:
            out, err = process.communicate(typed, timeout=patience())
        return Ran(process.returncode, out, err)

    def __call__(self, *words: str, cwd: Path | None = None) -> Ran:
        """Run a command in this process: the same, sooner."""
        streams = {name: _Stream() for name in ("stdin", "stdout", "stderr")}
        with _TURN, pytest.MonkeyPatch.context() as patch:
            patch.chdir(cwd or self.folder / "work")
            env = self.env
            for name in os.environ.keys() - env.keys():
                patch.delenv(name)
            for name, value in env.items():
                patch.setenv(name, value)
            patch.setattr(sys, "executable", self.python)
            for name, stream in streams.items():
                patch.setattr(sys, name, stream)
            code = main(words)
        return Ran(code, streams["stdout"].text, streams["stderr"].text)

    def ok(self, *words: str, cwd: Path | None = None) -> str:
        ran = self(*words, cwd=cwd)
        assert ran.code == 0, ran
        return ran.out

    def json(self, *words: str) -> Any:
        return json.loads(self.ok(*words, "--json"))

    def end(self) -> None:
        """End all sessions and the controller; fail if a process is left."""
        client = Client(state_dir=self.folder / "state")
        for session in client.sessions.list():
            # One that is stopping may be on its way back to the queue: its GPUs were reclaimed.
            if session.state in {"waiting", *LIVE}:
                with suppress(WrongState):  # it has ended meanwhile
                    client.sessions.stop(session.id, wait=True)
        wait_for(self._has_ended, lambda: f"left behind: {self.processes()}")

    def _has_ended(self) -> bool:
        """End controllers, also one that a last request has started again."""
        found = self.processes("jupyter_gpuquota.controller")
        for process in found:
            with suppress(psutil.NoSuchProcess):
                process.terminate()
        psutil.wait_procs(found, timeout=60)
        return not self.processes()

    def processes(self, word: str = "") -> list[psutil.Process]:
        """Find the processes that name the state folder on their command line."""
        everyone = psutil.process_iter(["cmdline"])
        lines = ((process, " ".join(process.info["cmdline"] or ())) for process in everyone)
        return [p for p, line in lines if str(self.folder / "state") in line and word in line]


def wait_for(
    condition: Callable[[], Any],
    what: Callable[[], str] = lambda: "it never came true",
    *,
    takes: float = 0,
) -> Any:
    """Wait until something is true, and return it; it may take so many seconds by its rules.

    If it never is, fail with what `what` returns.
    """
    begun = time.monotonic()
    while not (found := condition()):
        waited = time.monotonic() - begun
        assert waited < takes + patience(), what()
        time.sleep(pause_after(waited))
    return found


@contextmanager
def opened(folder: Path, config: Mapping[str, Any], python: str | None = None) -> Iterator[Shell]:
    """Open a shell in a folder; its sessions and its controller end with it."""
    for name in ("config", "admin", "data", "runtime", "work"):
        (folder / name).mkdir()
    (folder / "admin" / "jupyter_gpuquota_config.json").write_text(json.dumps(config))
    made = Shell(folder, python=python or lean_python())
    try:
        yield made
    finally:
        made.end()


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shell]:
    """A shell for the tests of a module, on the chosen backend, with two teams."""
    with opened(tmp_path_factory.mktemp("shell"), settings(projects=TEAMS)) as shell:
        yield shell


def check_document(ran: Ran, kind: Any) -> None:
    """Check that a command has printed one document of the wire, with its fields and no others."""
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.count("\n") == 1
    document = msgspec.json.decode(ran.out, type=kind)
    assert json.loads(msgspec.json.encode(document)) == json.loads(ran.out)


def refused(shell: Shell, *words: str) -> dict[str, str]:
    """Return what is wrong with each field of a launch; nothing half-made stays."""

    def total() -> int:
        return shell.json("list")["total"]

    before = total()
    ran = shell("submit", *words, "--interactive", "--json")
    assert (ran.code, ran.out) == (2, ""), ran
    problem = json.loads(ran.err)
    assert problem["code"] == "InvalidFields"
    assert total() == before
    return {field["field"]: field["message"] for field in problem["fields"]}
