"""From a change on the API server until the panel shows it, in a browser."""

from __future__ import annotations

import time

from ..errors import CouldNotMeasure
from ..measuring.report import Report, ms
from ..measuring.timing import Sample
from ..systems.browser import Talk, require_browser, talking
from ..systems.crowded_cluster import Controller, CrowdedCluster, Starts
from ..systems.server import jupyterlab
from ..systems.workplace import Workplace

GOAL = 0.3
TITLE = "From a pod's start until the panel's row says so, in Chromium"


def on_screen(
    report: Report, place: Workplace, cluster: CrowdedCluster, controller: Controller, most: int
) -> None:
    """Let pods start one by one while the panel of a JupyterLab in `place` is open."""
    try:
        require_browser()
    except CouldNotMeasure as problem:
        report.table(TITLE, "").note(f"not measured: {problem}")
        return
    place.configure(backend="kubernetes", state_dir=str(controller.state))
    starts = Starts(cluster)
    with jupyterlab(place) as server, talking("events.js", server) as talk:
        took = [_shown(starts, talk) for _ in range(most)]
    sample = Sample(tuple(took))
    table = report.table(f"{TITLE} ({len(took)} events)", "", "median", "slowest")
    table.add("all sessions in the panel", ms(sample.median), ms(max(sample.values)))
    table.note("the panel reads what has changed, by JupyterLab's server")
    met = sample.median <= GOAL
    report.judge(
        "an event on the screen, median", ms(sample.median), f"at most {ms(GOAL)}", met=met
    )


def _shown(starts: Starts, talk: Talk) -> float:
    """Return the seconds from the start of a pod until its row has been drawn."""
    talk.say(starts.coming)
    talk.hear()  # its row is on the screen
    began = time.time()
    starts.start()
    return float(talk.hear()) / 1000 - began
