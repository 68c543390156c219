"""Run a controller of the local backend with an accelerated clock for idleness.

    python scripts/hurried.py RATE [FLAG ...]

RATE is the number of its seconds in one real second. FLAGs are the controller's own, such as
`--state-dir DIR`; while it runs, all clients of that folder use this controller.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import partial

from jupyter_gpuquota.control.clock import Clock
from jupyter_gpuquota.controller.main import Controller
from jupyter_gpuquota.local.backend import PLUGIN, open_local


def main(rate: float, flags: list[str]) -> None:
    """Run the controller until it is stopped."""
    controller = Controller()
    controller.initialize(["--foreground", "--backend", "local", *flags])
    controller.plugin = replace(PLUGIN, open=partial(open_local, clock=Clock(rate)))
    controller.start()


if __name__ == "__main__":
    main(float(sys.argv[1]), sys.argv[2:])
