"""The command line `jupyter gpu`."""

from __future__ import annotations

import sys

from ..startup import paused_gc

with paused_gc():
    from .command_line import main

__all__ = ["main"]

if __name__ == "__main__":
    sys.exit(main())
