"""Read JUnit reports: the results of tests and their durations."""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_SHOWN = 300
"""Characters of a message that are shown."""

_IN_A_BROWSER = re.compile(r"^ *(Locator: .*|at .*\.spec\.ts:\d+)", re.MULTILINE)
"""What Playwright says of a failure below its message: the element, and the line of the test."""


@dataclass(frozen=True)
class Counts:
    """The number of tests by result."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other: Counts) -> Counts:
        """Return the sum of two parts."""
        return Counts(
            self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped
        )

    def __str__(self) -> str:
        """Return the text of the last line."""
        text = f"{self.passed} passed, {self.failed} failed"
        return f"{text}, {self.skipped} skipped" if self.skipped else text


@dataclass(frozen=True, order=True)
class Duration:
    """The duration of one test, including set-up and teardown."""

    seconds: float
    part: str
    name: str

    def __str__(self) -> str:
        """Return one row of a table."""
        return f"{self.seconds:7.1f} s  {self.part:<18}{self.name}"


def outcomes(path: Path) -> dict[str, list[str]]:
    """Return the names of the tests of a report by result, with the keys of `Counts`.

    A missing or incomplete report has none.
    """
    found: dict[str, list[str]] = {"passed": [], "failed": [], "skipped": []}
    for case in _cases(path):
        found[_outcome(case)].append(_name(case))
    return found


def failures(path: Path) -> dict[str, str]:
    """Return why the failed tests of a report failed, by name: the beginning of each message."""
    return {_name(case): _why(case) for case in _cases(path) if _outcome(case) == "failed"}


def count(path: Path) -> Counts:
    """Count the test cases of a report; a missing or incomplete report counts none."""
    return Counts(**{result: len(names) for result, names in outcomes(path).items()})


def judge(code: int, counts: Counts) -> Counts:
    """Add one failure for a part that failed without a failed test, or that reports no test."""
    silent = counts == Counts()
    return counts + Counts(failed=1) if silent or (code and not counts.failed) else counts


def durations(reports: Iterable[tuple[str, Path]]) -> list[Duration]:
    """Return the durations of all tests of the given parts, the longest first."""
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


def _outcome(case: ET.Element) -> str:
    if any(case.find(tag) is not None for tag in ("failure", "error")):
        return "failed"
    return "passed" if case.find("skipped") is None else "skipped"


def _why(case: ET.Element) -> str:
    failures = [found for tag in ("failure", "error") for found in case.iter(tag)]
    texts = [found.get("message") or found.text or "" for found in failures]
    for found in failures:
        texts += _IN_A_BROWSER.findall(found.text or "")
    return textwrap.shorten(" ".join(texts), _SHOWN, placeholder=" …")


def _name(case: ET.Element) -> str:
    where, name = case.get("classname", ""), case.get("name", "")
    return name if name.startswith(where) else f"{where}::{name}"
