"""Run a controller of the local backend by whose clock sessions are idle sooner.

    python scripts/hurried.py RATE [FLAG ...]

RATE is how many seconds pass for it in one second. The flags are the controller's own, as
`--state-dir DIR`; whoever uses that folder meets this controller as long as it runs.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import partial

from jupyter_gpuquota.control.clock import Clock
from jupyter_gpuquota.controller.main import Controller
from jupyter_gpuquota.local.backend import PLUGIN, open_local


def main(rate: float, flags: list[str]) -> None:
    """Run the controller until it is told to leave."""
    controller = Controller()
    controller.initialize(["--foreground", "--backend", "local", *flags])
    controller.plugin = replace(PLUGIN, open=partial(open_local, clock=Clock(rate)))
    controller.start()


if __name__ == "__main__":
    main(float(sys.argv[1]), sys.argv[2:])
