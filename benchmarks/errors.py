"""What a measurement raises when it cannot be made."""

from __future__ import annotations


class CouldNotMeasure(Exception):
    """Say why there is no figure."""
