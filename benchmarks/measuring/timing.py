"""Measuring sides in turn, so that other load on the machine affects all of them alike."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median, quantiles

from ..errors import CouldNotMeasure

POLL_SECONDS = 0.004


@dataclass(frozen=True)
class Sample:
    """The measurements of one side, in the order of the rounds."""

    values: tuple[float, ...]

    @property
    def median(self) -> float:
        """Return the median."""
        return median(self.values)

    @property
    def middle_half(self) -> tuple[float, float]:
        """Return the first and third quartiles."""
        if len(self.values) < 2:
            return self.values[0], self.values[0]
        first, _, third = quantiles(self.values, n=4, method="inclusive")
        return first, third

    def percentile(self, percent: int) -> float:
        """Return the value that `percent` of all do not exceed."""
        return quantiles(self.values, n=100, method="inclusive")[percent - 1]

    def __sub__(self, other: Sample) -> Sample:
        """Return the differences by round."""
        pairs = zip(self.values, other.values, strict=True)
        return Sample(tuple(mine - its for mine, its in pairs))

    def __truediv__(self, other: Sample) -> Sample:
        """Return the ratios by round."""
        pairs = zip(self.values, other.values, strict=True)
        return Sample(tuple(mine / its for mine, its in pairs))


def in_turn(
    rounds: int, sides: Mapping[str, Callable[[], float]], *, warm_up: int = 1
) -> dict[str, Sample]:
    """Measure every side once per round; each round begins with another side.

    The first `warm_up` rounds fill caches and are not counted.
    """
    names = list(sides)
    taken: dict[str, list[float]] = {name: [] for name in names}
    for number in range(-warm_up, rounds):
        first = number % len(names)
        for name in names[first:] + names[:first]:
            value = sides[name]()
            if number >= 0:
                taken[name].append(value)
    return {name: Sample(tuple(values)) for name, values in taken.items()}


@contextmanager
def stopwatch() -> Iterator[Callable[[], float]]:
    """Yield a function that returns the seconds since the block was entered."""
    started = time.perf_counter()
    yield lambda: time.perf_counter() - started


def wait_until(
    condition: Callable[[], bool], what: str, *, seconds: float = 120, poll: float = POLL_SECONDS
) -> None:
    """Poll until the condition holds. Raises CouldNotMeasure after `seconds`."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise CouldNotMeasure(f"{what}: not within {seconds:.0f} s")
        time.sleep(poll)
