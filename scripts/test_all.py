"""Run every part of `make test`, continuing after failures, and add up the reports.

Parts mostly wait, so two of them run in parallel; the output of a part is written to
`reports/PART.log` and printed when the part has ended. The last line is the total:
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
    from collections.abc import Mapping

ROOT = Path(__file__).resolve().parents[1]
REPORTS = ROOT / "reports"
SLOWEST = 25

# Installing and building must not run twice at the same time, so set-up runs first, alone.
SETUP = "test-setup"
# Make targets, the longest first: each lane takes the next one, so both end at about the same time.
PARTS = (
    "test-python",
    "test-browser",
    "test-cluster",
    "test-frontend",
    "test-packaging",
    "lint",
    "test-hub",
    "test-architecture",
)
LANES = 2


def report_of(part: str) -> Path:
    """Return the path of the JUnit report of a part."""
    return REPORTS / f"{part.removeprefix('test-')}.xml"


async def run_make(part: str, *options: str) -> int:
    """Make a target, write its output to its log, and return the exit code."""
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
    """Run a part and print its output; return its results and its duration in seconds."""
    report_of(part).unlink(missing_ok=True)
    print(f"make {part} …", flush=True)
    started = time.monotonic()
    counts = judge(await run_make(part), count(report_of(part)))
    seconds = time.monotonic() - started
    show(part)
    return counts, seconds


def show(part: str) -> None:
    """Print the output of a part."""
    print(f"\n── make {part} ──", flush=True)
    sys.stdout.buffer.write((REPORTS / f"{part}.log").read_bytes())
    sys.stdout.buffer.flush()


async def run_parts(lanes: int) -> dict[str, tuple[Counts, float]]:
    """Run all parts, as many at a time as there are lanes."""
    results = {}
    waiting = iter(PARTS)

    async def run_lane() -> None:
        for part in waiting:
            results[part] = await run_part(part)

    async with asyncio.TaskGroup() as group:
        for _ in range(lanes):
            group.create_task(run_lane())
    return {part: results[part] for part in PARTS}


def summarise(results: Mapping[str, tuple[Counts, float]], seconds: float) -> Counts:
    """Print the slowest tests, one line per part, the time and the total; return the total."""
    rows = [str(row) for row in durations((part, report_of(part)) for part in results)]
    (REPORTS / "durations.txt").write_text("\n".join([*rows, ""]), encoding="utf-8")
    print(f"\n── the {SLOWEST} slowest tests (all: reports/durations.txt) ──")
    print("\n".join(rows[:SLOWEST]), end="\n\n")
    for part, (counts, spent) in results.items():
        print(f"{part:<20}{counts!s:<36}{spent:6.0f} s")
    print(f"{'in total':<56}{seconds:6.0f} s")
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
    # If set-up failed, each part tries it again, which must not happen in parallel.
    results = await run_parts(LANES if ready else 1)
    total = summarise(results, time.monotonic() - started)
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
