"""`python -m jupyter_gpuquota.controller`."""

from ..startup import paused_gc, use_utf8

use_utf8()

with paused_gc():
    from .main import main

main()
