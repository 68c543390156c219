"""JupyterLab's start and memory, with and without an extension."""

from __future__ import annotations

import time
from dataclasses import dataclass

from ..context import Context
from ..errors import CouldNotMeasure
from ..measuring.memory import proportional
from ..measuring.report import Report, half_mb, half_ms, mb, ms, signed_mb, signed_ms
from ..measuring.timing import Sample
from ..systems.environment import OURS, Extension
from ..systems.server import Server, jupyterlab
from ..systems.workplace import workplace

TITLE = "JupyterLab's start and memory, with and without us"
START_SECONDS = 0.060
MEMORY_BYTES = 8e6
SETTLE_SECONDS = 1.0
NOTHING, US = "without us", "with us"


@dataclass(frozen=True)
class Taken:
    """The rounds of one side: wall seconds, CPU seconds, bytes."""

    start: Sample
    processor: Sample
    memory: Sample


def measure(context: Context) -> Report:
    """Start JupyterLab without and with us in turn, then without and with each peer."""
    report = Report()
    sides: dict[str, tuple[Extension, ...]] = {NOTHING: (), US: (OURS,)}
    taken = _in_turn(context, sides, context.rounds(15, 5))
    _tell(report, taken)
    _judge(report, taken)
    peers = context.environment.peers
    if peers:
        sides = {NOTHING: (), **{peer.package: (peer,) for peer in peers}}
        _tell(report, _in_turn(context, sides, context.rounds(5, 2)))
    for package, problem in context.environment.missing.items():
        report.tables[-1].note(f"{package} could not be installed: {problem}")
    return report


def _in_turn(
    context: Context, sides: dict[str, tuple[Extension, ...]], rounds: int
) -> dict[str, Taken]:
    """Start every side once per round, beginning with another each time, after one warm-up."""
    lists: dict[str, list[tuple[float, float, float]]] = {name: [] for name in sides}
    names = list(sides)
    for number in range(-1, rounds):
        first = number % len(names)
        for name in names[first:] + names[:first]:
            figures = _once(context, sides[name])
            if number >= 0:
                lists[name].append(figures)
    return {name: Taken(*map(Sample, zip(*found, strict=True))) for name, found in lists.items()}


def _once(context: Context, extensions: tuple[Extension, ...]) -> tuple[float, float, float]:
    with workplace(context.environment, extensions=extensions) as place:
        with jupyterlab(place) as server:
            spent = server.process.cpu_times()
            _check(server, extensions)
            time.sleep(SETTLE_SECONDS)
            memory = proportional(server.process.pid)
        return server.seconds, spent.user + spent.system, memory


def _check(server: Server, extensions: tuple[Extension, ...]) -> None:
    """Raise CouldNotMeasure unless the side has its extension loaded."""
    caller = server.caller()
    _, _, page = caller.request("GET", "/lab")
    caller.close()
    expected = OURS in extensions
    if (b'"jupyter-gpuquota"' in page) != expected:
        raise CouldNotMeasure(f"the front end of {OURS.package} should be loaded: {expected}")


def _tell(report: Report, taken: dict[str, Taken]) -> None:
    nothing = taken[NOTHING]
    table = report.table(
        f"Start until /lab answers, and memory then ({len(nothing.start.values)} rounds)",
        *("", "start", "middle half", "added", "processor added", "memory (PSS)", "added"),
    )
    for name, side in taken.items():
        added = ["", "", ""]
        if side is not nothing:
            added = [
                signed_ms((side.start - nothing.start).median),
                signed_ms((side.processor - nothing.processor).median),
                signed_mb((side.memory - nothing.memory).median),
            ]
        start, memory = side.start, side.memory
        table.add(name, ms(start.median), half_ms(start), *added[:2], mb(memory.median), added[2])


def _judge(report: Report, taken: dict[str, Taken]) -> None:
    seconds = taken[US].start - taken[NOTHING].start
    count = taken[US].memory - taken[NOTHING].memory
    report.judge(
        "JupyterLab's start with us",
        f"{signed_ms(seconds.median)} (middle half {half_ms(seconds)})",
        "at most +60 ms",
        met=seconds.median <= START_SECONDS,
    )
    report.judge(
        "JupyterLab's memory with us",
        f"{signed_mb(count.median)} (middle half {half_mb(count)})",
        "at most +8 MB",
        met=count.median <= MEMORY_BYTES,
    )
