"""Jobs give way to everything else on their machine."""

from __future__ import annotations

import os

import psutil

_NICE = 10
_LOWEST = 7
"""The lowest level of the class `best-effort`; the class `idle` may never get a turn."""


def lower() -> None:
    """Let other processes use processor and disk first."""
    os.nice(_NICE)
    psutil.Process().ionice(psutil.IOPRIO_CLASS_BE, _LOWEST)
