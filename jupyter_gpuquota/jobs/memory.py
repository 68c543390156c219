"""Memory that a job has used is used again, not returned to the system and requested anew.

A job reads and joins gigabytes in pieces of some megabytes; new memory for each of them takes a
sixth of its processor time.
"""

from __future__ import annotations

import ctypes

_TRIM_THRESHOLD, _MMAP_MAX, _ARENA_MAX = -1, -4, -8
"""Parameters of mallopt(3)."""
_KEPT = 1 << 30


def keep() -> None:
    """Set this process to keep what it frees, if its C library is glibc."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt:
        mallopt(_ARENA_MAX, 1)
        mallopt(_MMAP_MAX, 0)
        mallopt(_TRIM_THRESHOLD, _KEPT)
