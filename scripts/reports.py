"""What JUnit reports say: how many tests ended in which way, and how long each of them took."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path


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
        """Return the text of the last line."""
        text = f"{self.passed} passed, {self.failed} failed"
        return f"{text}, {self.skipped} skipped" if self.skipped else text


@dataclass(frozen=True, order=True)
class Duration:
    """How long one test took, set-up and clearing away included."""

    seconds: float
    part: str
    name: str

    def __str__(self) -> str:
        """Return one row of a table."""
        return f"{self.seconds:7.1f} s  {self.part:<18}{self.name}"


def count(path: Path) -> Counts:
    """Count the test cases of a report; no report, or half a one, counts nothing."""
    cases = list(_cases(path))
    failed = sum(any(case.find(tag) is not None for tag in ("failure", "error")) for case in cases)
    skipped = sum(case.find("skipped") is not None for case in cases)
    return Counts(len(cases) - failed - skipped, failed, skipped)


def judge(code: int, counts: Counts) -> Counts:
    """Count a part that failed without a failed test, or that reports no test, as one failure."""
    silent = counts == Counts()
    return counts + Counts(failed=1) if silent or (code and not counts.failed) else counts


def durations(reports: Iterable[tuple[str, Path]]) -> list[Duration]:
    """Return the durations of all tests of some parts, the longest first."""
    found = [
        Duration(float(case.get("time") or 0), part, _name(case))
        for part, path in reports
        for case in _cases(path)
    ]
    return sorted(found, reverse=True)


def _cases(path: Path) -> Iterator[ET.Element]:
    try:
        yield from ET.parse(path).iter("testcase")  # noqa: S314 (we wrote it ourselves)
    except (FileNotFoundError, ET.ParseError):
        return


def _name(case: ET.Element) -> str:
    where, name = case.get("classname", ""), case.get("name", "")
    return name if name.startswith(where) else f"{where}::{name}"
