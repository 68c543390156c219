"""One part of `make test`: a Make target with a log, a report and its processor time.

Standard library only: this runs before anything is installed.
"""

from __future__ import annotations

import asyncio
import os
import re
import signal
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from scripts.reports import Counts, count, judge

ROOT = Path(__file__).resolve().parents[1]
REPORTS = ROOT / "reports"

_LAST = 2000
"""Bytes at the end of a log in which it says how far it is."""
_PERCENT = re.compile(r"\[ *(\d+)%\]")
_OF = re.compile(r"\[(\d+)/(\d+)\]")


@dataclass(frozen=True)
class Part:
    """A Make target. One that computes gives way to those that wait, which would time out."""

    target: str
    computes: bool = False
    tests: bool = True
    needs: str = ""
    """A target that has to be made before."""

    @property
    def report(self) -> Path:
        """Return the path of its JUnit report."""
        return REPORTS / f"{self.target.removeprefix('test-')}.xml"

    @property
    def log(self) -> Path:
        """Return the path of what it printed."""
        return REPORTS / f"{self.target}.log"


@dataclass(frozen=True)
class Result:
    """The outcome of a part: its counts, its seconds, and those of processors."""

    counts: Counts
    seconds: float
    processor: float


async def run_part(part: Part) -> Result:
    """Run a part and print its output when it has ended."""
    started = time.monotonic()
    part.report.unlink(missing_ok=True)
    code = await run_make(part)
    _show(part)
    counts = judge(code, count(part.report)) if code or part.tests else Counts()
    return Result(counts, time.monotonic() - started, _used(part))


def unfinished(part: Part) -> Result:
    """Print the output of a part that the end of the run has cut off; return that it failed."""
    _show(part)
    return Result(Counts(failed=1), 0.0, _used(part))


def _show(part: Part) -> None:
    print(f"\n── make {part.target} ──", flush=True)
    sys.stdout.buffer.write(part.log.read_bytes())
    sys.stdout.buffer.flush()


def progress(part: Part) -> str:
    """Return how far a part is: a percentage, tests of tests, or what it printed last."""
    with part.log.open("rb") as log:
        log.seek(max(0, part.log.stat().st_size - _LAST))
        text = log.read().decode(errors="replace")
    if found := _PERCENT.findall(text):
        return f"{found[-1]} %"
    if found := _OF.findall(text):
        return "{} of {}".format(*found[-1])
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:60] if lines else ""


async def run_make(part: Part) -> int:
    """Make a target, write its output to its log, and return the exit code."""
    REPORTS.mkdir(parents=True, exist_ok=True)
    _usage(part).unlink(missing_ok=True)
    command = [sys.executable, "-m", "scripts.metered", str(_usage(part))]
    command += ["make", "--no-print-directory", part.target]
    with part.log.open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            *(["nice", "-n", "19"] if part.computes else []),
            *command,
            cwd=ROOT,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=log,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            return await process.wait()
        except asyncio.CancelledError:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
            await process.wait()
            raise


def _usage(part: Part) -> Path:
    return REPORTS / f"{part.target}.seconds"


def _used(part: Part) -> float:
    try:
        return float(_usage(part).read_text(encoding="ascii"))
    except FileNotFoundError:  # it was killed
        return 0.0
