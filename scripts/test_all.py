"""Run every part of `make test`, continuing after failures, and add up the reports.

Parts mostly wait, so two of them run in parallel; the output of a part is written to
`reports/PART.log` and printed when the part has ended. Where a few tests with real processes
failed, those are run again at the end, alone. The last line is the total:
`N passed, N failed`, or `N passed, N failed, N skipped`. Standard library only: this runs before
anything is installed.
"""

from __future__ import annotations

import asyncio
import sys
import time
from typing import TYPE_CHECKING

from scripts.parts import (
    REPORTS,
    Result,
    may_run_again,
    report_of,
    run_again,
    run_make,
    run_part,
    show,
)
from scripts.reports import Counts, durations, failures

if TYPE_CHECKING:
    from collections.abc import Mapping

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


async def run_parts(lanes: int) -> dict[str, Result]:
    """Run all parts, as many at a time as there are lanes, and then again what may have failed."""
    results = {}
    waiting = iter(PARTS)

    async def run_lane() -> None:
        for part in waiting:
            results[part] = await run_part(part)

    async with asyncio.TaskGroup() as group:
        for _ in range(lanes):
            group.create_task(run_lane())
    for part in filter(may_run_again, PARTS):
        results[part] = await run_again(part, results[part])
    return {part: results[part] for part in PARTS}


def summarise(results: Mapping[str, Result], seconds: float) -> Counts:
    """Print the slowest tests, one line per part, the time and the total; return the total."""
    rows = [str(row) for row in durations((part, report_of(part)) for part in results)]
    (REPORTS / "durations.txt").write_text("\n".join([*rows, ""]), encoding="utf-8")
    print(f"\n── the {SLOWEST} slowest tests (all: reports/durations.txt) ──")
    print("\n".join(rows[:SLOWEST]), end="\n\n")
    for part, result in results.items():
        print(f"{part:<20}{result.counts!s:<36}{result.seconds:6.0f} s")
        for name, why in failures(report_of(part)).items():
            outcome = "passed only when run again" if name in result.only_again else "failed"
            print(f"  {outcome}: {name}: {why}")
    print(f"{'in total':<56}{seconds:6.0f} s")
    total = sum((result.counts for result in results.values()), Counts())
    print(total, flush=True)
    return total


async def main() -> int:
    """Run everything, print a summary, and return 1 if anything failed."""
    started = time.monotonic()
    ready = await run_make(SETUP, "--keep-going") == 0
    if not ready:
        show(SETUP, f"make {SETUP}")
    # If set-up failed, each part tries it again, which must not happen in parallel.
    total = summarise(await run_parts(LANES if ready else 1), time.monotonic() - started)
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
