"""`python -m jupyter_gpuquota.controller`."""

from .main import main

main()
