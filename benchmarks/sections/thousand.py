"""The list of 1,000 sessions, on the server."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from ..clients.http import Caller, UnixConnection
from ..context import Context
from ..errors import CouldNotMeasure
from ..measuring.report import Report, ms
from ..measuring.timing import Sample, in_turn, stopwatch
from ..systems.server import Server, jupyterlab
from ..systems.sessions import API, create, wait_for
from ..systems.workplace import Workplace, workplace

TITLE = "the list of 1,000 sessions on the server"
COUNT = 1000
P99_SECONDS = 0.020
LIST = "/sessions"
PREVIEW = "through JupyterLab, a preview"
PREVIEW_SECONDS = 0.030
LOOP = 200_000
PEER = "JupyterLab's own list of 1,000 files"
NOISE = "a loop without requests"


def measure(context: Context) -> Report:
    """List 1,000 sessions, changed and unchanged, at the controller and through JupyterLab."""
    with workplace(context.environment, quota="1") as place, jupyterlab(place) as server:
        fill(place, server)
        many_files(place)
        socket = Caller(UnixConnection(str(place.state / "controller.sock")), API)
        gateway = server.caller(API)
        sides = {
            "controller's socket": _lists(socket),
            "controller's socket, unchanged": _unchanged(socket),
            "through JupyterLab": _lists(gateway),
            "through JupyterLab, unchanged": _unchanged(gateway),
            PREVIEW: _previews(gateway),
            PEER: _files(server),
            NOISE: _idle_loop,
        }
        samples = in_turn(context.rounds(400, 100), sides, warm_up=10)
        size = len(gateway.request("GET", LIST)[2])
        socket.close()
        gateway.close()
    return _report(samples, size)


def _report(samples: Mapping[str, Sample], size: int) -> Report:
    report = Report()
    table = report.table(
        f"GET sessions, and POST sessions/preview ({len(samples[PEER].values)} each)",
        *("", "median", "p99", "slowest"),
    )
    for name, sample in samples.items():
        p99 = sample.percentile(99)
        table.add(name, ms(sample.median, 1), ms(p99, 1), ms(max(sample.values), 1))
        if name not in (PEER, NOISE):
            most = PREVIEW_SECONDS if name == PREVIEW else P99_SECONDS
            target = f"at most {most * 1e3:.0f} ms"
            report.judge(f"1,000 sessions, {name}, p99", ms(p99, 1), target, met=p99 <= most)
    table.note(f"{NOISE}: how far this machine itself stretches a tail")
    table.note(f"seen by the client: {size / 1e3:.0f} kB of JSON are read, not parsed")
    return report


def fill(place: Workplace, server: Server) -> None:
    """Create one session that uses the whole quota and 999 that are queued."""
    api = server.caller(API)
    command = [place.environment.python, "-c", "import time; time.sleep(1e6)"]
    first = create(api, "s-0000", kind="interactive", gpu="1", command=command)
    wait_for(api, first["id"], "running")
    for number in range(1, COUNT):
        create(api, f"s-{number:04}", kind="interactive", gpu="0.5", command=command)
    states = [session["state"] for session in api.get(LIST)["items"]]
    api.close()
    if states != ["running"] + ["waiting"] * (COUNT - 1):
        raise CouldNotMeasure(f"there are {len(states)} sessions, in the states {set(states)}")


def _lists(caller: Caller) -> Callable[[], float]:
    return lambda: _timed(caller, LIST, {}, 200)


def _unchanged(caller: Caller) -> Callable[[], float]:
    def once() -> float:
        _, headers, _ = caller.request("GET", LIST)
        return _timed(caller, LIST, {"If-None-Match": headers["ETag"]}, 304)

    return once


def _previews(caller: Caller) -> Callable[[], float]:
    """Preview one more session, which takes a whole scheduling round."""
    wish = {"name": "one-more", "gpu": "0.5", "kind": "train", "command": ["true"]}

    def once() -> float:
        with stopwatch() as elapsed:
            caller.post(f"{LIST}/preview", wish)
            return elapsed()

    return once


def many_files(place: Workplace) -> None:
    """Create as many files in a folder; listing it is the peer on server and in browser."""
    folder = place.root / "many"
    folder.mkdir()
    for number in range(COUNT):
        (folder / f"file-{number:04}.txt").touch()


def _files(server: Server) -> Callable[[], float]:
    """List the files, as the server does when their folder is opened."""
    caller = server.caller()
    return lambda: _timed(caller, "/api/contents/many", {}, 200)


def _idle_loop() -> float:
    with stopwatch() as elapsed:
        for _ in range(LOOP):
            pass
        return elapsed()


def _timed(caller: Caller, path: str, headers: Mapping[str, str], expected: int) -> float:
    started = time.perf_counter()
    status, _, _ = caller.request("GET", path, headers=headers)
    seconds = time.perf_counter() - started
    if status != expected:
        raise CouldNotMeasure(f"GET {path} answered {status}, not {expected}")
    return seconds
