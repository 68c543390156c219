"""The error of a measurement that cannot be made."""

from __future__ import annotations


class CouldNotMeasure(Exception):
    """The message says why there is no figure."""
