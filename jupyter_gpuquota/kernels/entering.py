"""Moves a kernel into the folder that has a file; it runs there.

Carried into kernels: standard library only, and the syntax of Python 3.8.
"""

from __future__ import annotations

import os
from pathlib import Path


def places(volumes: str) -> list[Path]:
    """Return where the session's storage is: its folder, and each volume in the folder of these."""
    there = Path(volumes)
    return [Path.cwd(), *(sorted(there.iterdir()) if volumes and there.is_dir() else ())]


def enter(mark: str, ends: list[str], found: list[Path]) -> str:
    """Work in the folder with a file of this name, and return it; empty if there is none.

    It is looked for below each of the `found` places, at each of the relative paths `ends`.
    """
    for place in found:
        for end in ends:
            if (place / end / mark).is_file():
                os.chdir(place / end)
                return str(place / end)
    return ""
