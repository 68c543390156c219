"""One part of `make test`: a Make target with a log and a report.

Standard library only: this runs before anything is installed.
"""

from __future__ import annotations

import asyncio
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from scripts.reports import Counts, count, judge, outcomes, repeated

ROOT = Path(__file__).resolve().parents[1]
REPORTS = ROOT / "reports"
AGAIN = REPORTS / "again"
"""The reports of tests that were run again."""

PYTEST = "--last-failed --numprocesses=0"
PLAYWRIGHT = "--last-failed --workers=1"
JEST = "--onlyFailures --maxWorkers=1"

LAST_FAILED = {
    "test-python": PYTEST,
    "test-cluster": PYTEST,
    "test-hub": PYTEST,
    "test-browser": PLAYWRIGHT,
    "test-frontend": JEST,
}
"""Parts whose tests wait, for processes or for forms that are typed into, with options that run
only what failed, one test after the other."""

FEW = 8
"""More failed tests than these are not the fault of a busy machine: they are not run again. What
stalls the one API server of a part fails several at once."""


@dataclass(frozen=True)
class Result:
    """What a part brought: its counts, its seconds, and the tests that passed only at the end."""

    counts: Counts
    seconds: float
    only_again: tuple[str, ...] = ()


def report_of(part: str, folder: Path = REPORTS) -> Path:
    """Return the path of the JUnit report of a part."""
    return folder / f"{part.removeprefix('test-')}.xml"


async def run_part(part: str) -> Result:
    """Run a part and print its output."""
    started = time.monotonic()
    code = await _run_and_show(part, REPORTS)
    return Result(judge(code, count(report_of(part))), time.monotonic() - started)


def may_run_again(part: str) -> bool:
    """Return whether the tests of the part wait, and only a few of them failed."""
    return part in LAST_FAILED and 0 < len(outcomes(report_of(part))["failed"]) <= FEW


async def run_again(part: str, first: Result) -> Result:
    """Run what failed once more, alone; the second result counts."""
    started = time.monotonic()
    code = await _run_and_show(part, AGAIN, f"ARGS={LAST_FAILED[part]}", f"REPORTS={AGAIN}")
    counts, passed = repeated(report_of(part), report_of(part, AGAIN))
    seconds = first.seconds + time.monotonic() - started
    return Result(judge(code, counts), seconds, tuple(passed))


async def _run_and_show(part: str, folder: Path, *options: str) -> int:
    report_of(part, folder).unlink(missing_ok=True)
    said = " ".join(("make", part, *options))
    print(f"{said} …", flush=True)
    code = await run_make(part, *options, folder=folder)
    show(part, said, folder)
    return code


def show(part: str, title: str, folder: Path = REPORTS) -> None:
    """Print the output of a part."""
    print(f"\n── {title} ──", flush=True)
    sys.stdout.buffer.write((folder / f"{part}.log").read_bytes())
    sys.stdout.buffer.flush()


async def run_make(part: str, *options: str, folder: Path = REPORTS) -> int:
    """Make a target, write its output to its log in a folder, and return the exit code."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{part}.log").open("wb") as log:
        process = await asyncio.create_subprocess_exec(
            *("make", "--no-print-directory", *options, part),
            cwd=ROOT,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=log,
            stderr=asyncio.subprocess.STDOUT,
        )
        try:
            return await process.wait()
        except asyncio.CancelledError:
            with suppress(ProcessLookupError):
                process.terminate()
            await process.wait()
            raise
