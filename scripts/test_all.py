"""Run every part of `make test`, go on after a failure, and add up the reports.

The last line is the total: `N passed, N failed`, or `N passed, N failed, N skipped`. Standard
library only: this runs before anything is installed.
"""

from __future__ import annotations

import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

ROOT = Path(__file__).resolve().parents[1]
REPORTS = ROOT / "reports"

# Make target and the JUnit report that it writes; the quick ones first.
PARTS = {
    "lint": "lint.xml",
    "test-architecture": "architecture.xml",
    "test-frontend": "jest.xml",
    "test-python": "python.xml",
    "test-packaging": "packaging.xml",
    "test-browser": "browser.xml",
}


@dataclass(frozen=True)
class Counts:
    """How many tests ended in which way."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other: Counts) -> Counts:
        """Add up two parts."""
        return Counts(
            self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped
        )

    def __str__(self) -> str:
        """Say it as the last line does."""
        text = f"{self.passed} passed, {self.failed} failed"
        return f"{text}, {self.skipped} skipped" if self.skipped else text


def read_report(path: Path) -> Counts:
    """Count the test cases of a JUnit report; no report, or half a one, is no test at all."""
    try:
        cases = list(ET.parse(path).iter("testcase"))  # noqa: S314 (we wrote it ourselves)
    except (FileNotFoundError, ET.ParseError):
        return Counts()
    failed = sum(any(case.find(tag) is not None for tag in ("failure", "error")) for case in cases)
    skipped = sum(case.find("skipped") is not None for case in cases)
    return Counts(len(cases) - failed - skipped, failed, skipped)


def judge(code: int, counts: Counts) -> Counts:
    """Count a part that failed without a failed test, or that reports no test, as one failure."""
    silent = counts == Counts()
    return counts + Counts(failed=1) if silent or (code and not counts.failed) else counts


def run_part(target: str, report: str) -> Counts:
    """Run one make target and return what it reports."""
    print(f"\n── make {target} ──", flush=True)
    path = REPORTS / report
    path.unlink(missing_ok=True)
    command = ["make", "--no-print-directory", target]
    code = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, check=False).returncode
    return judge(code, read_report(path))


def main() -> int:
    """Run all parts, print a line for each and the total, and return 1 if anything failed."""
    REPORTS.mkdir(exist_ok=True)
    total, lines = Counts(), []
    for target, report in PARTS.items():
        started = time.monotonic()
        counts = run_part(target, report)
        total += counts
        lines.append(f"{target:<20}{counts!s:<36}{time.monotonic() - started:6.0f} s")
    print("\n" + "\n".join(lines))
    print(total, flush=True)
    return 1 if total.failed else 0


if __name__ == "__main__":
    sys.exit(main())
