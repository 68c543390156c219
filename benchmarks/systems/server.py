"""JupyterLab servers in a workplace."""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from scripts.ports import free_port

from ..clients.http import Caller, answers, connect
from ..errors import CouldNotMeasure
from ..measuring.timing import wait_until
from .workplace import Workplace

GRACE_SECONDS = 20
LOADED = re.compile(r"(\w+) \| extension was successfully loaded")


@dataclass(frozen=True)
class Server:
    """A running JupyterLab; `seconds` is the time until `/lab` responded."""

    process: psutil.Process
    port: int
    token: str
    seconds: float

    def caller(self, base: str = "") -> Caller:
        """Open a connection that carries the token."""
        return Caller(connect(self.port), base, self.headers)

    @property
    def headers(self) -> dict[str, str]:
        """Return the headers that authenticate the caller."""
        return {"Authorization": f"token {self.token}"}


@contextmanager
def jupyterlab(place: Workplace, *arguments: str) -> Iterator[Server]:
    """Start a JupyterLab, wait until `/lab` responds, and stop it at the end."""
    port = free_port()
    command = [place.environment.python, "-m", "jupyterlab", "--no-browser", "--ip=127.0.0.1"]
    command += [
        f"--port={port}",
        "--ServerApp.port_retries=0",
        f"--ServerApp.root_dir={place.root}",
    ]
    command.append(f"--LabApp.labextensions_path={place.labextensions}")
    if os.geteuid() == 0:
        command.append("--allow-root")
    log = place.folder / "jupyterlab.log"
    headers = {"Authorization": f"token {place.token}"}
    with log.open("wb") as output:
        started = time.perf_counter()
        process = psutil.Popen(
            [*command, *arguments],
            cwd=place.root,
            env=place.variables(),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        wait_until(
            lambda: _is_up(process, log) and answers(port, "/lab", headers), "JupyterLab starts"
        )
        seconds = time.perf_counter() - started
        _all_loaded(place, log)
        yield Server(process, port, place.token, seconds)
    finally:
        stop(process)


def stop(process: psutil.Popen) -> None:
    """Terminate a process, and kill it if it does not end."""
    process.terminate()
    try:
        process.wait(GRACE_SECONDS)
    except psutil.TimeoutExpired:
        process.kill()
        process.wait()


def _is_up(process: psutil.Popen, log: Path) -> bool:
    if process.poll() is None:
        return True
    last = "\n".join(log.read_text(errors="replace").splitlines()[-15:])
    raise CouldNotMeasure(f"JupyterLab exited with {process.returncode}:\n{last}")


def _all_loaded(place: Workplace, log: Path) -> None:
    """Raise CouldNotMeasure unless exactly the side's extensions are loaded."""
    text = log.read_text(errors="replace")
    loaded = set(LOADED.findall(text))
    if loaded != place.modules():
        said = [line for line in text.splitlines() if "rror" in line]
        raise CouldNotMeasure(
            f"these were not loaded, or should not: {loaded ^ place.modules()}; "
            + " ".join(said[-3:])
        )
