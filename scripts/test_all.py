"""Run every part of `make test`, go on after a failure, and add up the reports.

Parts that mostly wait run beside each other, in lanes; what a part prints is kept in
`reports/PART.log` and shown in one piece when the part has ended. The last line is the total:
`N passed, N failed`, or `N passed, N failed, N skipped`. Standard library only: this runs before
anything is installed.
"""

from __future__ import annotations

import asyncio
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from scripts.reports import Counts, count, durations, judge

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ROOT = Path(__file__).resolve().parents[1]
REPORTS = ROOT / "reports"
SLOWEST = 25

# What installs and builds must not run twice at the same time: it runs first, alone.
SETUP = "test-setup"
# Make targets that may run beside each other, the quick ones of a lane first.
LANES = (
    ("lint", "test-architecture", "test-frontend", "test-browser"),
    ("test-python", "test-hub", "test-packaging"),
)


def report_of(part: str) -> Path:
    """Return the JUnit report that a part writes."""
    return REPORTS / f"{part.removeprefix('test-')}.xml"


async def run_make(part: str, *options: str) -> int:
    """Make a target, keep what it prints, and return the exit code."""
    with (REPORTS / f"{part}.log").open("wb") as log:
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


async def run_part(part: str) -> tuple[Counts, float]:
    """Run a part and show what it printed; return what it reports, and its seconds."""
    report_of(part).unlink(missing_ok=True)
    print(f"make {part} …", flush=True)
    started = time.monotonic()
    counts = judge(await run_make(part), count(report_of(part)))
    seconds = time.monotonic() - started
    show(part)
    return counts, seconds


def show(part: str) -> None:
    """Print what a part has printed."""
    print(f"\n── make {part} ──", flush=True)
    sys.stdout.buffer.write((REPORTS / f"{part}.log").read_bytes())
    sys.stdout.buffer.flush()


async def run_lanes(lanes: Sequence[Sequence[str]]) -> dict[str, tuple[Counts, float]]:
    """Run the parts of a lane one after another, and the lanes beside each other."""
    results = {}

    async def run_lane(lane: Sequence[str]) -> None:
        for part in lane:
            results[part] = await run_part(part)

    async with asyncio.TaskGroup() as group:
        for lane in lanes:
            group.create_task(run_lane(lane))
    return results


def summarise(results: Mapping[str, tuple[Counts, float]], seconds: float) -> Counts:
    """Print the slowest tests, a line for each part, the time and the total; return the total."""
    rows = [str(row) for row in durations((part, report_of(part)) for part in results)]
    (REPORTS / "durations.txt").write_text("\n".join([*rows, ""]), encoding="utf-8")
    print(f"\n── the {SLOWEST} slowest tests (all: reports/durations.txt) ──")
    print("\n".join(rows[:SLOWEST]), end="\n\n")
    for part, (counts, spent) in results.items():
        print(f"{part:<20}{counts!s:<36}{spent:6.0f} s")
    print(f"{'in all':<56}{seconds:6.0f} s")
    total = sum((counts for counts, _ in results.values()), Counts())
    print(total, flush=True)
    return total


async def main() -> int:
    """Run everything, print a summary, and return 1 if anything failed."""
    REPORTS.mkdir(exist_ok=True)
    started = time.monotonic()
    ready = await run_make(SETUP, "--keep-going") == 0
    if not ready:
        show(SETUP)
    # Parts whose set-up fails try it again, and must not do so at the same time.
    results = await run_lanes(LANES if ready else [[part for lane in LANES for part in lane]])
    total = summarise(results, time.monotonic() - started)
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
