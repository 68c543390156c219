"""`python -m jupyter_gpuquota.kernels`."""

from __future__ import annotations

import sys

from ..startup import paused_gc, use_utf8

with paused_gc():
    from .main import main

if __name__ == "__main__":
    use_utf8()
    sys.exit(main())
