"""Kubernetes quantities, such as `500m`, `17k` and `8Gi`, as integers and back.

The official client has a parser, but importing it takes longer than everything else here; a test
compares the two. The grammar is that of apimachinery's `resource.Quantity`.
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache

Quantity = str | int
"""A quantity as it is in JSON."""

_FORM = re.compile(
    r"(?P<number>[+-]?(?:\d+(?:\.\d*)?|\.\d+))"
    r"(?:(?P<suffix>[KMGTPE]i|[numkMGTPE])|[eE](?P<exponent>[+-]?\d{1,3}))?",
    re.ASCII,
)
_SUFFIXES = {
    "n": Fraction(1, 10**9),
    "u": Fraction(1, 10**6),
    "m": Fraction(1, 10**3),
    **{suffix: Fraction(1000**power) for power, suffix in enumerate("kMGTPE", 1)},
    **{f"{suffix}i": Fraction(1024**power) for power, suffix in enumerate("KMGTPE", 1)},
}
_MEBI = 1024**2


@lru_cache(maxsize=4096)  # the same few quantities are in thousands of pods
def exact(quantity: Quantity) -> Fraction:
    """Return a quantity as an exact number. Raises ValueError."""
    found = _FORM.fullmatch(str(quantity))
    if not found:
        raise ValueError(f"{quantity!r} is not a quantity such as 500m, 2 or 8Gi")
    if found["suffix"]:
        return Fraction(found["number"]) * _SUFFIXES[found["suffix"]]
    return Fraction(f"{found['number']}e{found['exponent'] or 0}")


def units(quantity: Quantity) -> int:
    """Return a quantity in units, rounded up. Raises ValueError."""
    return _up(exact(quantity))


def thousandths(quantity: Quantity) -> int:
    """Return a quantity in thousandths, rounded up. Raises ValueError."""
    return _up(exact(quantity) * 1000)


def mebibytes(quantity: Quantity) -> int:
    """Return an amount of memory in MiB, rounded up. Raises ValueError."""
    return _up(exact(quantity) / _MEBI)


def text(amount: int) -> str:
    """Return units as a canonical quantity: 2500 -> `2500`, 17000 -> `17k`."""
    return _shortest(amount, 1000, ("", "k", "M", "G", "T", "P", "E"))


def thousandths_text(amount: int) -> str:
    """Return thousandths as a canonical quantity: 500 -> `500m`, 2000 -> `2`."""
    return f"{amount}m" if amount % 1000 else text(amount // 1000)


def memory_text(mebibytes: int) -> str:
    """Return MiB as a canonical quantity: 8192 -> `8Gi`, 0 -> `0`."""
    suffixes = ("Mi", "Gi", "Ti", "Pi", "Ei")
    return _shortest(mebibytes, 1024, suffixes) if mebibytes else "0"


def _up(number: Fraction) -> int:
    """Return a number rounded up, away from zero, as Kubernetes does."""
    away = -(-abs(number.numerator) // number.denominator)
    return away if number >= 0 else -away


def _shortest(amount: int, base: int, suffixes: tuple[str, ...]) -> str:
    """Return a whole number with the largest suffix that keeps it whole."""
    step = 0
    while amount and amount % base == 0 and step + 1 < len(suffixes):
        amount //= base
        step += 1
    return f"{amount}{suffixes[step]}"
