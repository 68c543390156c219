"""How far a long operation has come."""

from __future__ import annotations

from collections.abc import Callable

import msgspec


class Progress(msgspec.Struct, frozen=True):
    """Files and bytes that are done, of how many; totals are 0 while they are unknown.

    `sent` counts the bytes that travelled over the network.
    """

    files: int = 0
    bytes: int = 0
    all_files: int = 0
    all_bytes: int = 0
    sent: int = 0


Report = Callable[[Progress], None]
"""Called with the progress after every step; it must return quickly."""
