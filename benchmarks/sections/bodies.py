"""Throughput of large bodies through the ingress, and its memory use."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import psutil

from ..clients.stream import download, upload
from ..context import Context
from ..errors import CouldNotMeasure
from ..measuring.memory import forget_peak, peak, resident
from ..measuring.report import Report, Table, mb, ms, signed_mb
from ..measuring.timing import Sample, in_turn
from .ingress import DIRECT, INGRESS, PEER, Way, ways

TITLE = "large bodies through the ingress"
BODY = 200_000_000
LARGE = 2_000_000_000
SHARE_OF_DIRECT = 0.70
FLAT_BYTES = 20e6

Side = Callable[[], float]


def measure(context: Context) -> Report:
    """Send a very large body through the ingress, then large ones through each route in turn."""
    report = Report()
    with ways(context) as found:
        # First, because what a peer buffers leaves the process with room to hide in.
        _memory(context, report, found[INGRESS])
        for direction in ("down", "up"):
            _throughput(context, report, found, direction)
    return report


def _throughput(context: Context, report: Report, found: dict[str, Way], direction: str) -> None:
    sides, broken = _working(found, direction)
    rounds = context.rounds(7, 3)
    spent = dict.fromkeys(sides, 0.0)
    samples = in_turn(rounds, _with_processor(sides, spent, found[INGRESS]), warm_up=0)
    spent = {name: seconds / rounds for name, seconds in spent.items()}
    table = report.table(
        f"A body of {mb(BODY, 0)} {direction} ({len(samples[DIRECT].values)} each)",
        *("", "MB/s", "of direct", "middle half", "JupyterLab's processor"),
    )
    for name, sample in samples.items():
        _row(table, name, sample, samples[DIRECT], spent[name])
    for name, problem in broken.items():
        table.add(name, "breaks", "", "", "")
        table.note(f"{name}: {problem}")
    share = (samples[DIRECT] / samples[INGRESS]).median
    report.judge(
        f"ingress, throughput {direction}",
        f"{share:.0%} of direct",
        "at least 70 %",
        met=share >= SHARE_OF_DIRECT,
    )


def _working(found: dict[str, Way], direction: str) -> tuple[dict[str, Side], dict[str, str]]:
    """Try every route once; a failing peer is reported and not measured."""
    sides, broken = {}, {}
    for name, way in found.items():
        side = _side(way, direction, BODY)
        try:
            side()
        except CouldNotMeasure as problem:
            if name != PEER:
                raise
            broken[name] = str(problem)
        else:
            sides[name] = side
    return sides, broken


def _with_processor(
    sides: Mapping[str, Side], spent: dict[str, float], through: Way
) -> dict[str, Side]:
    """Measure JupyterLab's processor time for each side."""
    process = psutil.Process(through.proxy)

    def wrapped(name: str) -> float:
        before = process.cpu_times()
        seconds = sides[name]()
        after = process.cpu_times()
        spent[name] += after.user + after.system - before.user - before.system
        return seconds

    return {name: partial(wrapped, name) for name in sides}


def _row(table: Table, name: str, sample: Sample, direct: Sample, processor: float) -> None:
    share = direct / sample
    low, high = share.middle_half
    speed = f"{BODY / sample.median / 1e6:.0f}"
    if sample is direct:
        table.add(name, speed, "", "", "")
    else:
        half = f"{low:.0%} to {high:.0%}"
        table.add(name, speed, f"{share.median:.0%}", half, ms(processor))


def _side(way: Way, direction: str, size: int) -> Side:
    if direction == "down":
        return partial(download, way.port, f"{way.path}/down/{size}", size, way.headers)
    return partial(upload, way.port, f"{way.path}/up", size, way.headers)


def _memory(context: Context, report: Report, way: Way) -> None:
    size = LARGE // 8 if context.quick else LARGE
    table = report.table(
        f"JupyterLab's resident memory while {mb(size, 0)} pass through us",
        *("", "before", "peak", "grown"),
    )
    if way.proxy is None:
        raise CouldNotMeasure("the ingress process is unknown")
    for direction in ("down", "up"):
        forget_peak(way.proxy)
        before = resident(way.proxy)
        _side(way, direction, size)()
        most = peak(way.proxy)
        table.add(direction, mb(before), mb(most), signed_mb(most - before))
        report.judge(
            f"ingress, memory while {mb(size, 0)} go {direction}",
            signed_mb(most - before),
            "flat: at most +20 MB",
            met=most - before <= FLAT_BYTES,
        )
