"""Five thousand sessions on the API server of a real control plane."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from ..clients.http import Caller
from ..clients.panels import EVERY, ours
from ..context import Context
from ..errors import CouldNotMeasure
from ..measuring.report import Report, mb, ms, signed_mb
from ..measuring.timing import Sample, in_turn, wait_until
from ..simulated.many_sessions import Crowd
from ..systems.crowded_cluster import NAMESPACES, Controller, CrowdedCluster, Starts, crowded
from ..systems.workplace import workplace
from .cluster_screen import on_screen

TITLE = "5,000 sessions on 1,000 nodes of a cluster"
SESSIONS, NODES, EVENTS = 5000, 1000, 40
ROOT = Path(__file__).resolve().parents[2]
PANELS, MINUTES = 50, 1
"""Answers about rights are kept for a minute: a shorter time may have none, or all of them."""
BOARD, STRUCTS = "our board, complete", "the same lists read into Structs"
FIRST_LIST, MEMORY, PAGE, UNCHANGED, EVENT, REQUESTS = 3.0, 150e6, 0.020, 0.005, 0.3, 1.1
SETTLED, FEW = 3.0, 10
"""Seconds with no more than a few requests, after which a controller has written everything."""


def measure(context: Context) -> Report:
    """Measure all figures on one cluster, which the section fills itself."""
    report = Report()
    share = 10 if context.quick else 1
    sessions, nodes = SESSIONS // share, NODES // share
    total = sessions - 1  # beside the one that they are copies of: the panel shows 5,000 at most
    with (
        workplace(context.environment) as place,  # the first, as its end ends all programs
        crowded(lambda spaces: Crowd(nodes, total, EVENTS, spaces)) as cluster,
    ):
        with cluster.controller() as controller:
            _settle(cluster, controller, total)
        _first_list(report, context, cluster, total)
        with cluster.controller() as controller:
            _settle(cluster, controller, total)
            _memory(report, cluster, controller)
            _pages(report, context, controller)
            _events(report, context, cluster, controller)
            on_screen(report, place, cluster, controller, context.rounds(EVENTS // 2, 5))
            _requests(report, cluster, controller)
    return report


def _settle(cluster: CrowdedCluster, controller: Controller, total: int) -> None:
    """Wait until a controller has all sessions, and has written what it wants to."""
    caller = controller.caller()
    wait_until(lambda: caller.get("/sessions?limit=1")["total"] >= total, "all sessions", poll=0.5)
    caller.close()
    known = [cluster.requests()]

    def quiet() -> bool:
        time.sleep(SETTLED)
        known.append(cluster.requests())
        return known[-1] <= known[-2] + FEW

    wait_until(quiet, "the controller has nothing more to write")


def _first_list(report: Report, context: Context, cluster: CrowdedCluster, total: int) -> None:
    """(a) Processor time until the board is complete, beside decoding the same lists."""
    kubeconfig = str(cluster.cluster.kubeconfig())
    known: dict[str, Any] = {}

    def board() -> float:
        known["board"] = _client("board", kubeconfig, str(total + 1))
        return float(known["board"]["seconds"])

    alone: list[float] = []

    def structs() -> float:
        known["structs"] = _client("structs", kubeconfig, json.dumps(known["board"]["kinds"]))
        alone.append(known["structs"]["decoding"])
        return float(known["structs"]["seconds"])

    def typed() -> float:
        return float(_client("typed", kubeconfig)["seconds"])

    board()  # the kinds that it reads
    sides = {BOARD: board, STRUCTS: structs}
    samples = in_turn(context.rounds(5, 2), sides, warm_up=0)
    base = samples[STRUCTS]
    samples["decoding them alone, from memory"] = Sample(tuple(alone))
    samples["official client: pods, nodes and StatefulSets only"] = Sample((typed(),))
    read = known["structs"]
    table = report.table(
        f"{read['objects']:,} objects of {len(known['board']['kinds'])} kinds, {mb(read['bytes'])}",
        *("", "processor time", "times"),
    )
    for name, sample in samples.items():
        table.add(name, ms(sample.median), f"{sample.median / base.median:.1f}")
    ratio = (samples[BOARD] / base).median
    report.judge(
        "first list, processor time from connecting to the complete board",
        f"{ratio:.1f} of reading the same lists into Structs",
        f"at most {FIRST_LIST:.0f}",
        met=ratio <= FIRST_LIST,
    )


def _client(*words: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.clients.board", *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CouldNotMeasure(f"{words[0]} failed:\n{done.stderr[-3000:]}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def _memory(report: Report, cluster: CrowdedCluster, controller: Controller) -> None:
    """(b) The memory of a controller that has read everything, beside one with nothing to read."""
    full = controller.memory
    table = report.table("Memory of a controller (resident)", "", "", "above idle")
    table.add("idle, connected to a cluster without sessions", mb(cluster.idle, 0), "")
    table.add("with all sessions", mb(full, 0), signed_mb(full - cluster.idle, 0))
    more = full - cluster.idle
    report.judge(
        "the controller's memory above an idle one's",
        mb(more, 0),
        f"at most {mb(MEMORY, 0)}",
        met=more <= MEMORY,
    )


def _pages(report: Report, context: Context, controller: Controller) -> None:
    """(c) A page of 1,000, changed and unchanged."""
    caller = controller.caller()
    etag = caller.request("GET", "/sessions")[1]["ETag"]
    sides = {
        "a page of 1,000": _page(caller, {}, 200),
        "unchanged": _page(caller, {"If-None-Match": etag}, 304),
    }
    samples = in_turn(context.rounds(400, 100), sides, warm_up=10)
    caller.close()
    table = report.table("GET sessions at the controller", "", "median", "p99", "slowest")
    for (name, sample), most in zip(samples.items(), (PAGE, UNCHANGED), strict=True):
        p99 = sample.percentile(99)
        table.add(name, ms(sample.median, 1), ms(p99, 1), ms(max(sample.values), 1))
        report.judge(
            f"5,000 sessions, {name}, p99", ms(p99, 1), f"at most {ms(most)}", met=p99 <= most
        )


def _page(caller: Caller, headers: dict[str, str], expected: int) -> Callable[[], float]:
    def once() -> float:
        began = time.perf_counter()
        status, _, _ = caller.request("GET", "/sessions", headers=headers)
        seconds = time.perf_counter() - began
        if status != expected:
            raise CouldNotMeasure(f"GET sessions answered {status}, not {expected}")
        return seconds

    return once


def _events(
    report: Report, context: Context, cluster: CrowdedCluster, controller: Controller
) -> None:
    """(d) From a change on the API server until a client that waits has read it."""
    caller = controller.caller()
    starts = Starts(cluster)
    took = [_event(starts, caller) for _ in range(context.rounds(EVENTS // 2, 5))]
    caller.close()
    sample = Sample(tuple(took))
    table = report.table(
        f"From a pod's start until a client has it ({len(took)} events)", "", "median", "slowest"
    )
    table.add("the controller is asked", ms(sample.median), ms(max(sample.values)))
    report.judge(
        "an event, median", ms(sample.median), f"at most {ms(EVENT)}", met=sample.median <= EVENT
    )


def _event(starts: Starts, caller: Caller) -> float:
    """Wait for a change as a panel does, read the session's page, and return what it took."""
    found = caller.get("/changes?timeout=0")
    began = time.perf_counter()
    name = starts.start()
    while True:
        wait = f"/changes?since={found['latest']}&instance={found['instance']}&timeout=10"
        found = caller.get(wait)
        page = caller.get(f"/sessions?name={name}")["items"]
        if page and page[0]["state"] == "running":
            return time.perf_counter() - began
        if time.perf_counter() - began > SETTLED * 10:
            raise CouldNotMeasure(f"{name} is {page and page[0]['state']} after its pod started")


def _requests(report: Report, cluster: CrowdedCluster, controller: Controller) -> None:
    """(e) What open panels cost the API server, beside a web application without a cache."""
    seconds = MINUTES * 60.0
    kubeconfig = str(cluster.cluster.kubeconfig())
    spaces = [f"team-{number:02}" for number in range(NAMESPACES)]
    counted: dict[tuple[str, int], tuple[int, int]] = {}
    for count in (1, PANELS):
        ways: dict[str, Callable[[], int]] = {
            "our panels": partial(ours, controller.caller, count, seconds),
            "asked each time": partial(_typed, kubeconfig, count, seconds, spaces),
        }
        for name, run in ways.items():
            before = cluster.requests()
            reads = run()
            counted[name, count] = (cluster.requests() - before - 1, reads)
    table = report.table(
        f"Requests to the API server in {seconds:.0f} s, without watches and leases",
        *("", "one panel", f"{PANELS} panels", "times", "reads of the panels"),
    )
    for name in ("our panels", "asked each time"):
        (one, _), (many, reads) = counted[name, 1], counted[name, PANELS]
        table.add(name, f"{one:,}", f"{many:,}", f"{many / max(one, 1):.2f}", f"{reads:,}")
    table.note(f"asked each time: a review and three lists every {EVERY:.0f} s, official client")
    table.note("ours: the account's panels, which read what has changed; reviews of rights count")
    ratio = counted["our panels", PANELS][0] / max(counted["our panels", 1][0], 1)
    report.judge(
        f"requests of {PANELS} open panels",
        f"{ratio:.2f} of one's",
        f"at most {REQUESTS}",
        met=ratio <= REQUESTS,
    )


def _typed(kubeconfig: str, count: int, seconds: float, spaces: list[str]) -> int:
    command = [sys.executable, "-m", "benchmarks.clients.panels", "typed", kubeconfig]
    command += [str(count), str(seconds), *spaces]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CouldNotMeasure(f"the peer failed:\n{done.stderr[-3000:]}")
    return int(done.stdout)
