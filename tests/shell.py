"""`jupyter gpu` as a user runs it, with a controller, folders and preferences of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
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
from tests.waiting import patience

TEAMS = [{"name": "team-a", "quota": "4"}, {"name": "team-b", "quota": "2"}]


@dataclass(frozen=True)
class Ran:
    """How a command ended."""

    code: int
    out: str
    err: str


@dataclass
class Shell:
    """`jupyter-gpu` as a user runs it, in folders of its own."""

    folder: Path
    more: dict[str, str] = field(default_factory=dict)

    @property
    def env(self) -> dict[str, str]:
        found = {n: v for n, v in os.environ.items() if n not in ("JUPYTER_NO_CONFIG", "DISPLAY")}
        return {
            **found,
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            "JUPYTER_CONFIG_DIR": str(self.folder / "config"),
            "JUPYTER_CONFIG_PATH": str(self.folder / "admin"),
            "JUPYTER_DATA_DIR": str(self.folder / "data"),
            "JUPYTER_RUNTIME_DIR": str(self.folder / "runtime"),
            "GPUQUOTA_STATE_DIR": str(self.folder / "state"),
            **self.more,
        }

    def start(self, *words: str, **options: Any) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-W", "error", "-m", "jupyter_gpuquota.ui.cli", *words],
            cwd=options.pop("cwd", self.folder / "work"),
            env=self.env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            **options,
        )

    def __call__(self, *words: str, typed: str = "", **options: Any) -> Ran:
        with self.start(*words, **options) as process:
            out, err = process.communicate(typed, timeout=patience())
        return Ran(process.returncode, out, err)

    def ok(self, *words: str, **options: Any) -> str:
        ran = self(*words, **options)
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
    condition: Callable[[], Any], what: Callable[[], str] = lambda: "it never came true"
) -> Any:
    """Wait until something is true, and return it.

    If it never is, fail with what `what` returns.
    """
    begun = time.monotonic()
    while not (found := condition()):
        assert time.monotonic() - begun < patience(), what()
        time.sleep(0.05)
    return found


@contextmanager
def opened(folder: Path, config: Mapping[str, Any]) -> Iterator[Shell]:
    """Open a shell in a folder; its sessions and its controller end with it."""
    for name in ("config", "admin", "data", "runtime", "work"):
        (folder / name).mkdir()
    (folder / "admin" / "jupyter_gpuquota_config.json").write_text(json.dumps(config))
    made = Shell(folder)
    try:
        yield made
    finally:
        made.end()


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shell]:
    """A shell for the tests of a module, on the chosen backend, with two teams."""
    with opened(tmp_path_factory.mktemp("shell"), settings(projects=TEAMS)) as shell:
        yield shell


@pytest.fixture
def say(shell: Shell, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> Callable[..., Ran]:
    """Run a command in this process: the same, sooner."""
    monkeypatch.delenv("JUPYTER_NO_CONFIG", raising=False)
    monkeypatch.chdir(shell.folder / "work")
    for name, value in shell.env.items():
        monkeypatch.setenv(name, value)

    def say(*words: str) -> Ran:
        code = main(words)
        return Ran(code, *capsys.readouterr())

    return say


def check_document(ran: Ran, kind: Any) -> None:
    """Check that a command has printed one document of the wire, with its fields and no others."""
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.count("\n") == 1
    document = msgspec.json.decode(ran.out, type=kind)
    assert json.loads(msgspec.json.encode(document)) == json.loads(ran.out)


def refused(say: Callable[..., Ran], *words: str) -> dict[str, str]:
    """Return what is wrong with each field of a launch; nothing half-made stays."""

    def total() -> int:
        return json.loads(say("list", "--json").out)["total"]

    before = total()
    ran = say("submit", *words, "--interactive", "--json")
    assert (ran.code, ran.out) == (2, ""), ran
    problem = json.loads(ran.err)
    assert problem["code"] == "InvalidFields"
    assert total() == before
    return {field["field"]: field["message"] for field in problem["fields"]}
