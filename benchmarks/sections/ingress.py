"""Latency that the ingress adds to a request and to a WebSocket message."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from websocket import WebSocket, create_connection

from ..clients.http import Caller, connect
from ..context import Context
from ..errors import CouldNotMeasure
from ..measuring.report import Report, half_ms, ms, signed_ms
from ..measuring.timing import Sample, in_turn
from ..systems.environment import OURS, PROXY
from ..systems.server import jupyterlab
from ..systems.sessions import start_upstream
from ..systems.workplace import workplace

TITLE = "what the ingress adds, against direct and against jupyter-server-proxy"
DIRECT, INGRESS, PEER = "direct", "our ingress", "jupyter-server-proxy"
MESSAGE = "x" * 1024


@dataclass(frozen=True)
class Way:
    """One route to the same small server; `proxy` is the process in between, if any."""

    port: int
    path: str
    headers: Mapping[str, str]
    proxy: int | None = None


@contextmanager
def ways(context: Context) -> Iterator[dict[str, Way]]:
    """Start one JupyterLab with both proxies, and the small server as a session."""
    peer = context.environment.has(PROXY)
    extensions = (OURS, PROXY) if peer else (OURS,)
    with (
        workplace(context.environment, extensions=extensions) as place,
        jupyterlab(place) as server,
    ):
        port, path = start_upstream(place, server)
        pid = server.process.pid
        found = {
            DIRECT: Way(port, "", {}),
            INGRESS: Way(server.port, path, server.headers, pid),
        }
        if peer:
            found[PEER] = Way(server.port, f"/proxy/{port}", server.headers, pid)
        yield found


def measure(context: Context) -> Report:
    """Send small requests and messages through each route in turn."""
    report = Report()
    with ways(context) as found, ExitStack() as opened:
        rounds = context.rounds(1000, 200)
        requests = {name: _requests(way, opened) for name, way in found.items()}
        samples = in_turn(rounds, requests, warm_up=20)
        _tell(report, "HTTP request", "request on a kept connection", samples)
        messages = {name: _messages(way, opened) for name, way in found.items()}
        samples = in_turn(rounds, messages, warm_up=20)
        _tell(report, "WebSocket message", "WebSocket message of 1 kB, there and back", samples)
    return report


def _requests(way: Way, opened: ExitStack) -> Callable[[], float]:
    caller = Caller(connect(way.port), way.path, way.headers)
    opened.callback(caller.close)

    def once() -> float:
        started = time.perf_counter()
        status, _, body = caller.request("GET", "/small")
        seconds = time.perf_counter() - started
        if (status, body) != (200, b"ok"):
            raise CouldNotMeasure(f"{way.path}/small answered {status}")
        return seconds

    return once


def _messages(way: Way, opened: ExitStack) -> Callable[[], float]:
    url = f"ws://127.0.0.1:{way.port}{way.path}/echo"
    socket: WebSocket = create_connection(url, header=dict(way.headers), timeout=60)
    opened.callback(socket.close)

    def once() -> float:
        started = time.perf_counter()
        socket.send(MESSAGE)
        answer = socket.recv()
        seconds = time.perf_counter() - started
        if answer != MESSAGE:
            raise CouldNotMeasure(f"{way.path}/echo sent something else back")
        return seconds

    return once


def _tell(report: Report, what: str, title: str, samples: Mapping[str, Sample]) -> None:
    count = len(samples[DIRECT].values)
    table = report.table(f"One {title} ({count} each)", "", "median", "middle half", "added")
    added = {name: (sample - samples[DIRECT]).median for name, sample in samples.items()}
    for name, sample in samples.items():
        more = "" if name == DIRECT else signed_ms(added[name], 3)
        table.add(name, ms(sample.median, 3), half_ms(sample, 3), more)
    if PEER in samples:
        report.judge(
            f"ingress, {what} added",
            signed_ms(added[INGRESS], 3),
            f"at most jupyter-server-proxy's {signed_ms(added[PEER], 3)}",
            met=added[INGRESS] <= added[PEER],
        )
