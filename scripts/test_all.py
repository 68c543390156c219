"""Run every part of `make test`, continuing after failures, and add up the reports.

Parts that mostly wait run two at a time; beside them one that computes runs at the lowest priority:
it takes what they leave. The output of a part is written to `reports/PART.log` and printed when the
part has ended. A failed test is a failed run. The last line is the total: `N passed, N failed`, or
`N passed, N failed, N skipped`. Standard library only: this runs before anything is installed.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from typing import TYPE_CHECKING

from scripts.parts import REPORTS, ROOT, Part, Result, progress, run_part, unfinished
from scripts.reports import Counts, durations, failures

if TYPE_CHECKING:
    from collections.abc import Mapping

SLOWEST = 25
SAYS = 30
"""Seconds between two lines about what runs."""
LATE = 25 * 60
"""Seconds after which the lines say what each part is at."""
OVER = 60 * 60
"""Seconds after which the run has failed."""

SETUP = ("make", "--no-print-directory", "-j4", "--keep-going", "test-setup")
LANES = 2
"""Parts that wait, at a time."""

# The longest first: each lane takes the next one, so all end at about the same time.
WAITING = (
    Part("test-python"),
    Part("test-browser"),
    Part("test-cluster", needs="cluster-programs"),
    Part("test-hub"),
)
# Go builds the first two once for a machine; the first takes many minutes.
COMPUTING = (
    Part("cluster-programs", computes=True, tests=False),
    Part("other-programs", computes=True, tests=False),
    Part("lint", computes=True),
    Part("test-pure", computes=True),
    Part("test-frontend", computes=True),
    Part("test-packaging", computes=True),
)
PARTS = WAITING + COMPUTING


class Run:
    """One run of all parts."""

    def __init__(self, started: float) -> None:
        """Begin; `started` is when the run did, with its set-up."""
        self.started = started
        self.results: dict[str, Result] = {}
        self._running: list[Part] = []
        self._ended = {part.target: asyncio.Event() for part in PARTS}
        self._waiting, self._computing = iter(WAITING), iter(COMPUTING)

    async def parts(self, *, ready: bool) -> bool:
        """Run all parts; return whether they have ended in time.

        If set-up failed, each part tries it again, which must not happen in parallel.
        """
        speaking = asyncio.create_task(self._speak())
        lanes = [*[self._lane] * LANES, self._fill] if ready else [self._one_by_one]
        try:
            async with asyncio.timeout(OVER), asyncio.TaskGroup() as group:
                for lane in lanes:
                    group.create_task(lane())
        except TimeoutError:
            print(f"\nThe run has failed: it takes more than {OVER // 60} minutes.", flush=True)
            return False
        finally:
            speaking.cancel()
        return True

    async def _lane(self) -> None:
        for part in self._waiting:
            await self._run(part)
        await self._fill()

    async def _fill(self) -> None:
        for part in self._computing:
            await self._run(part)

    async def _one_by_one(self) -> None:
        await self._fill()
        await self._lane()

    async def _run(self, part: Part) -> None:
        if part.needs:
            await self._ended[part.needs].wait()
        print(f"make {part.target} …", flush=True)
        self._running.append(part)
        try:
            self.results[part.target] = await run_part(part)
        except asyncio.CancelledError:
            self.results[part.target] = unfinished(part)
            raise
        self._running.remove(part)
        self._ended[part.target].set()

    async def _speak(self) -> None:
        """Print now and then what runs, and how far it is."""
        while True:
            await asyncio.sleep(SAYS)
            seconds = time.monotonic() - self.started
            running = [f"{part.target} {progress(part)}".strip() for part in self._running]
            late = "still running after 25 minutes: " if seconds > LATE else ""
            print(f"{seconds / 60:5.1f} min  {late}{', '.join(running)}", flush=True)


def summarise(results: Mapping[str, Result], seconds: float) -> Counts:
    """Print the slowest tests, one line per part, the time and the total; return the total."""
    parts = [part for part in PARTS if part.target in results]
    rows = [str(row) for row in durations((part.target, part.report) for part in parts)]
    (REPORTS / "durations.txt").write_text("\n".join([*rows, ""]), encoding="utf-8")
    print(f"\n── the {SLOWEST} slowest tests (all: reports/durations.txt) ──")
    print("\n".join(rows[:SLOWEST]), end="\n\n")
    for part in parts:
        result = results[part.target]
        print(
            f"{part.target:<20}{result.counts!s:<36}"
            f"{result.seconds:6.0f} s {result.processor:6.0f} s of processors"
        )
        for name, why in failures(part.report).items():
            print(f"  failed: {name}: {why}")
    used = sum(result.processor for result in results.values())
    print(f"{'in total':<56}{seconds:6.0f} s {used:6.0f} s of processors")
    total = sum((result.counts for result in results.values()), Counts())
    print(total, flush=True)
    return total


async def run_all(*, ready: bool, started: float) -> int:
    """Run everything, print a summary, and return 1 if anything failed."""
    run = Run(started)
    in_time = await run.parts(ready=ready)
    total = summarise(run.results, time.monotonic() - started)
    return 0 if in_time and not total.failed else 1


def main() -> int:
    """Set up, and run everything."""
    started = time.monotonic()
    REPORTS.mkdir(exist_ok=True)
    ready = subprocess.run(SETUP, cwd=ROOT, check=False).returncode == 0
    print(f"Set up in {time.monotonic() - started:.0f} s.", flush=True)
    return asyncio.run(run_all(ready=ready, started=started))


if __name__ == "__main__":
    sys.exit(main())
