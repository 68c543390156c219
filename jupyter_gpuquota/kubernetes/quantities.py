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
_DECIMAL = {"n": -3, "u": -2, "m": -1, "k": 1, "M": 2, "G": 3, "T": 4, "P": 5, "E": 6}
_BINARY = {"Ki": 1, "Mi": 2, "Gi": 3, "Ti": 4, "Pi": 5, "Ei": 6}
_MEBI = 1024**2


@lru_cache(maxsize=4096)  # the same few quantities are in thousands of pods
def exact(quantity: Quantity) -> Fraction:
    """Return a quantity as an exact number. Raises ValueError."""
    found = _FORM.fullmatch(str(quantity))
    if not found:
        raise ValueError(f"{quantity!r} is not a quantity such as 500m, 2 or 8Gi")
    number, suffix = Fraction(found["number"]), found["suffix"] or ""
    if suffix in _BINARY:
        return number * 1024 ** _BINARY[suffix]
    if suffix in _DECIMAL:
        return number * Fraction(1000) ** _DECIMAL[suffix]
    return number * Fraction(10) ** int(found["exponent"] or 0)


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
