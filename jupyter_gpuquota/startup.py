"""The start of our programs."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager


def use_utf8() -> None:
    """Run this program anew in Python's UTF-8 mode if the locale has another encoding.

    Names of files are UTF-8 on Linux, whatever the locale of a shell or a service is. Python 3.15
    does this by default (PEP 686).
    """
    if sys.getfilesystemencoding() != "utf-8":
        os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])  # noqa: S606 (itself)


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
