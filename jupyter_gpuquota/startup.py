"""The start of our programs."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def paused_gc() -> Iterator[None]:
    """Load a program's modules without the garbage collector, which then never looks at them.

    They stay until the program ends. Without this, it looks through them several times while they
    load and once more at the end.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
