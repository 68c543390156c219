"""Run a script in a real browser."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from shutil import which
from tempfile import TemporaryFile
from typing import IO, Any, cast

from ..errors import CouldNotMeasure
from .product import ROOT
from .server import Server

SCRIPTS = ROOT / "labextension" / "ui-tests" / "bench"
SECONDS = 600
PATIENCE = 30
"""Seconds in which a script ends whose input has ended."""


def require_browser() -> None:
    """Raise CouldNotMeasure if scripts cannot run."""
    if which("node") is None or not (SCRIPTS.parent / "node_modules").is_dir():
        raise CouldNotMeasure("Node or Playwright is missing; `make test-browser` installs both")


def run_script(name: str, server: Server) -> Any:
    """Run a script of `SCRIPTS` on a JupyterLab; return what it prints. Raises CouldNotMeasure."""
    command = _command(name, server)
    result = subprocess.run(
        command,
        cwd=SCRIPTS,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    if result.returncode != 0:
        raise CouldNotMeasure(f"the browser: {result.stderr.strip()[-2000:]}")
    return json.loads(result.stdout.splitlines()[-1])


@dataclass(frozen=True)
class Talk:
    """A running script that is told lines and answers with lines."""

    asks: IO[str]
    answers: IO[str]
    errors: IO[str]

    def say(self, line: str) -> None:
        """Write a line of the input."""
        self.asks.write(f"{line}\n")
        self.asks.flush()

    def hear(self) -> str:
        """Return the next line of the answer. Raises CouldNotMeasure."""
        line = self.answers.readline()
        if not line:
            self.errors.seek(0)
            raise CouldNotMeasure(f"the browser: {self.errors.read().strip()[-2000:]}")
        return line.strip()


@contextmanager
def talking(name: str, server: Server) -> Iterator[Talk]:
    """Run a script of `SCRIPTS` on a JupyterLab until the end of the block."""
    with TemporaryFile("w+") as errors:
        process = subprocess.Popen(
            _command(name, server),
            cwd=SCRIPTS,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
        with process:
            asks, answers = cast("IO[str]", process.stdin), cast("IO[str]", process.stdout)
            try:
                yield Talk(asks, answers, errors)
            finally:
                asks.close()
                try:
                    process.wait(PATIENCE)
                except subprocess.TimeoutExpired:
                    process.kill()


def _command(name: str, server: Server) -> list[str]:
    return ["node", str(SCRIPTS / name), f"http://127.0.0.1:{server.port}", server.token]
