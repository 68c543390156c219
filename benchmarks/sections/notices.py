"""The delay until the owner of an idle session sees the warning."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median

import psutil

from ..context import Context
from ..measuring.report import Report
from ..measuring.timing import wait_until
from ..systems.browser import require_browser, run_script
from ..systems.product import ROOT
from ..systems.server import jupyterlab, stop
from ..systems.workplace import Workplace, workplace

TITLE = "a warning of idleness, in a browser"
RATE = "30"
# Slower than the page reads in the background, as it is where nothing is hurried.
LOOKS = {"idle_interval": 150}


def measure(context: Context) -> Report:
    """Let sessions become idle one by one, with a page open and the panel closed."""
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
    """Run a controller with accelerated time, which the workplace's JupyterLab finds."""
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
