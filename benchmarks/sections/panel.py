"""The panel with 1,000 sessions in a real browser."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from ..context import Context
from ..measuring.report import Report
from ..systems.browser import require_browser, run_script
from ..systems.server import Server, jupyterlab
from ..systems.workplace import workplace
from .thousand import fill, many_files

TITLE = "the panel with 1,000 sessions, in a browser"
START = "JupyterLab starts"
OURS, PEER = "the panel scrolls", "the file browser scrolls"
WAITS = ("the panel opens", "a session appears", "the dashboard opens")
# One task of the browser's own now and then delays a frame: 60 a second, give or take two.
FRAMES = 58.0
TASK_MS = 50.0


@dataclass(frozen=True)
class Task:
    """A task of the main thread above 50 ms; `ours` is the time in our code."""

    ms: float
    ours: float


@dataclass(frozen=True)
class Phase:
    """One phase: its duration and frame times in ms, and its long tasks."""

    name: str
    took: float
    frames: tuple[float, ...]
    tasks: tuple[Task, ...]

    @property
    def per_second(self) -> float:
        """Return frames per second."""
        return (len(self.frames) - 1) / (self.frames[-1] - self.frames[0]) * 1000

    @property
    def gaps(self) -> list[float]:
        """Return the milliseconds between frames."""
        return [later - sooner for sooner, later in pairwise(self.frames)]

    @property
    def caused(self) -> float:
        """Return the milliseconds of the longest task that we cause.

        While JupyterLab starts all extensions share tasks, and our part counts. Later a task in
        which our code was at work counts whole: what follows from it is our doing, too.
        """
        return self.longest_of_us if self.name == START else self.longest_with_us

    @property
    def longest_with_us(self) -> float:
        """Return the milliseconds of the longest task that involves our code."""
        return max((task.ms for task in self.tasks if task.ours), default=0.0)

    @property
    def longest_of_us(self) -> float:
        """Return the maximum milliseconds of our code in one long task."""
        return max((task.ours for task in self.tasks), default=0.0)


def measure(context: Context) -> Report:
    """Watch the main thread while JupyterLab starts, the panel opens, scrolls and changes."""
    require_browser()
    with workplace(context.environment, quota="1") as place, jupyterlab(place) as server:
        many_files(place)
        fill(place, server)
        runs = [_watch(server) for _ in range(context.rounds(5, 2))]
    phases = {name: [run[name] for run in runs] for name in runs[0]}
    report = Report()
    _waits(report, phases)
    _scrolling(report, phases)
    _tasks(report, phases)
    return report


def _watch(server: Server) -> dict[str, Phase]:
    """Run all phases in a new browser."""
    found = {}
    for phase in run_script("panel.js", server):
        tasks = tuple(Task(task["ms"], task["ours"]) for task in phase["tasks"])
        name, took, frames = phase["name"], phase["took"], tuple(phase["frames"])
        found[name] = Phase(name, took, frames, tasks)
    return found


def _waits(report: Report, phases: dict[str, list[Phase]]) -> None:
    table = report.table(
        "From the click, or the request, until it is on the screen (median of the runs)",
        *("", "took", "worst run"),
    )
    for name in WAITS:
        took = [run.took for run in phases[name]]
        table.add(name, f"{median(took):.0f} ms", f"{max(took):.0f} ms")
    table.note("a session appears: from POST sessions until the list counts it")


def _scrolling(report: Report, phases: dict[str, list[Phase]]) -> None:
    table = report.table(
        f"Scrolling 1,000 rows as fast as frames come ({len(phases[OURS])} runs)",
        *("", "frames a second", "worst run", "median gap", "longest gap"),
    )
    for name in (OURS, PEER):
        runs = phases[name]
        rates = [run.per_second for run in runs]
        gaps = [gap for run in runs for gap in run.gaps]
        figures = [median(rates), min(rates), median(gaps), max(gaps)]
        table.add(name, *(f"{figure:.1f}" for figure in figures))
    table.note("gaps in ms; a frame every 16.7 ms is as fast as the browser draws")
    ours, peer = (median(run.per_second for run in phases[name]) for name in (OURS, PEER))
    report.judge(
        "panel with 1,000 sessions, scrolling",
        f"{ours:.1f} frames a second (file browser: {peer:.1f})",
        "60",
        met=ours >= FRAMES,
    )


def _tasks(report: Report, phases: dict[str, list[Phase]]) -> None:
    table = report.table(
        "The longest task of the main thread over 50 ms (median of the runs)",
        *("", "anyone's", "with us in it", "our code in it", "worst run"),
    )
    caused = {}
    for name, runs in phases.items():
        anyone = median(max((task.ms for task in run.tasks), default=0) for run in runs)
        shared = median(run.longest_with_us for run in runs)
        ours = median(run.longest_of_us for run in runs)
        caused[name] = median(run.caused for run in runs)
        worst = max(run.caused for run in runs)
        table.add(name, *(_ms_or_none(figure) for figure in (anyone, shared, ours, worst)))
    table.note("with us in it: our code ran at some time of that task; what it cost stands beside")
    name, most = max(caused.items(), key=lambda item: item[1])
    report.judge(
        "longest task that we cause",
        f"{most:.0f} ms ({name})" if most else "none over 50 ms",
        "none over 50 ms",
        met=most <= TASK_MS,
    )


def _ms_or_none(figure: float) -> str:
    return f"{figure:.0f} ms" if figure else "none"
