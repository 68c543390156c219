"""Metrics as they are written on a command line."""

from __future__ import annotations

import math
from collections.abc import Iterable

from ....errors import FieldError, refused


def metrics_of(texts: Iterable[str]) -> dict[str, float]:
    """Return numbers by name; `texts` are like `acc=0.9`. Raises InvalidFields."""
    found = {}
    for text in texts:
        name, _, value = text.partition("=")
        found[name] = _number(value)
        if not name or not math.isfinite(found[name]):
            raise refused(FieldError("metrics", f"{text!a}: write NAME=NUMBER."))
    return found


def _number(text: str) -> float:
    """Return a number, NaN for what is none."""
    try:
        return float(text)
    except ValueError:
        return math.nan
