"""The ingress under load on one port, side by side with jupyter-server-proxy."""

from __future__ import annotations

import asyncio

import psutil

from ..clients.crowd import Crowd, visit
from ..context import Context
from ..errors import CouldNotMeasure
from ..measuring.report import Report, ms
from ..measuring.timing import Sample
from .ingress import INGRESS, PEER, Way, ways

TITLE = "a crowd on one port of a session"
BROWSERS, SOCKETS = 200, 100
CONTROLLER = "jupyter_gpuquota.controller"
CONTROLLER_SHARE = 0.05


class Side:
    """The results and cost of a crowd on one route."""

    def __init__(self, way: Way) -> None:
        if way.proxy is None:
            raise CouldNotMeasure("the proxy process is unknown")
        self._way = way
        self._processes = psutil.Process(way.proxy), _controller()
        self.crowd = Crowd()
        self.spent = [0.0, 0.0]

    def run(self, seconds: float) -> None:
        """Run one crowd and add its results."""
        before = [_spent(process) for process in self._processes]
        way = self._way
        self.crowd.add(
            asyncio.run(
                visit(
                    way.port,
                    way.path,
                    way.headers,
                    browsers=BROWSERS,
                    sockets=SOCKETS,
                    seconds=seconds,
                )
            )
        )
        for at, process in enumerate(self._processes):
            self.spent[at] += _spent(process) - before[at]


def measure(context: Context) -> Report:
    """Run the same crowd through both routes in turn."""
    report = Report()
    rounds, seconds = context.rounds(3, 1), 10.0
    with ways(context) as found:
        sides = {name: Side(way) for name, way in found.items() if name in (INGRESS, PEER)}
        for _ in range(rounds):
            for side in sides.values():
                side.run(seconds)
    _tell(report, sides, rounds * seconds)
    return report


def _tell(report: Report, sides: dict[str, Side], seconds: float) -> None:
    table = report.table(
        f"{BROWSERS} kept connections and {SOCKETS} WebSockets for {seconds:.0f} s",
        *("", "requests", "errors", "median", "p99", "longest"),
        *("messages", "median", "p99", "JupyterLab's processor", "the controller's"),
    )
    for name, side in sides.items():
        http, socket = Sample(tuple(side.crowd.requests)), Sample(tuple(side.crowd.messages))
        table.add(
            name,
            *(f"{len(http.values):,}", str(side.crowd.errors)),
            *(ms(http.median), ms(http.percentile(99)), ms(max(http.values))),
            *(f"{len(socket.values):,}", ms(socket.median), ms(socket.percentile(99))),
            *(f"{spent:.1f} s" for spent in side.spent),
        )
    ours = sides[INGRESS]
    report.judge(
        "ingress under load, errors", str(ours.crowd.errors), "none", met=not ours.crowd.errors
    )
    share = ours.spent[1] / seconds
    report.judge(
        "ingress under load, the controller's processor",
        f"{share:.1%} of one",
        f"at most {CONTROLLER_SHARE:.0%}",
        met=share <= CONTROLLER_SHARE,
    )
    if PEER in sides:
        for what in ("requests", "messages"):
            _compare(report, what, ours.crowd, sides[PEER].crowd)


def _compare(report: Report, what: str, ours: Crowd, peer: Crowd) -> None:
    mine, its = (Sample(tuple(getattr(crowd, what))).percentile(99) for crowd in (ours, peer))
    report.judge(
        f"ingress under load, p99 of {what}",
        f"{ms(mine)}, {mine / its:.2f} of jupyter-server-proxy's",
        f"below its {ms(its)}",
        met=mine < its,
    )


def _controller() -> psutil.Process:
    """Return the workplace's controller. Raises CouldNotMeasure without one."""
    for process in psutil.Process().children(recursive=True):
        if CONTROLLER in process.cmdline():
            return process
    raise CouldNotMeasure("no controller runs")


def _spent(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)
