"""How soon the owner of an idle session sees that it is about to be suspended."""

from __future__ import annotations

from statistics import median

from .browser import require_browser, run_script
from .context import Context
from .report import Report
from .server import jupyterlab
from .workplace import workplace

TITLE = "a warning of idleness, in a browser"


def measure(context: Context) -> Report:
    """Let sessions become idle one after another, while a page with the panel closed is open."""
    require_browser()
    # Slower than the page reads in the background, as it is where nothing is hurried.
    hurried = {"clock_rate": 30.0, "idle_interval": 150}
    with workplace(context.environment, settings=hurried) as place, jupyterlab(place) as server:
        found = run_script("notices.js", server)
    report = Report()
    table = report.table(
        f"From the API's answer until the notice is on the screen ({len(found)} sessions)",
        *("", "median", "slowest"),
    )
    table.add("the owner is warned", f"{median(found):.0f} ms", f"{max(found):.0f} ms")
    table.note("if anything else has changed just before, a closed panel reads up to 3 s later")
    return report
