"""`python -m jupyter_gpuquota.controller`."""

from ..startup import paused_gc

with paused_gc():
    from .main import main

main()
