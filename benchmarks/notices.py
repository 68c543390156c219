"""How soon the owner of an idle session sees that it is about to be suspended."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median

import psutil

from .browser import require_browser, run_script
from .context import Context
from .product import ROOT
from .report import Report
from .server import jupyterlab, stop
from .timing import wait_until
from .workplace import Workplace, workplace

TITLE = "a warning of idleness, in a browser"
RATE = "30"
# Slower than the page reads in the background, as it is where nothing is hurried.
LOOKS = {"idle_interval": 150}


def measure(context: Context) -> Report:
    """Let sessions become idle one after another, while a page with the panel closed is open."""
    require_browser()
    with (
        workplace(context.environment, settings=LOOKS) as place,
        _hurried(place),
        jupyterlab(place) as server,
    ):
        found = run_script("notices.js", server)
    report = Report()
    table = report.table(
        f"From the API's answer until the notice is on the screen ({len(found)} sessions)",
        *("", "median", "slowest"),
    )
    table.add("the owner is warned", f"{median(found):.0f} ms", f"{max(found):.0f} ms")
    table.note("if anything else has changed just before, a closed panel reads up to 3 s later")
    return report


@contextmanager
def _hurried(place: Workplace) -> Iterator[None]:
    """Run a controller for which time passes faster; the JupyterLab of the workplace finds it."""
    command = [place.environment.python, str(ROOT / "scripts" / "hurried.py"), RATE]
    with (place.folder / "controller.log").open("wb") as log:
        process = psutil.Popen(
            command,
            cwd=place.root,
            env=place.variables(),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    try:
        wait_until((place.state / "controller.sock").exists, "a controller answers")
        yield
    finally:
        stop(process)
