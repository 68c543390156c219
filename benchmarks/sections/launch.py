"""Time from a launch request to a responding Jupyter, against starting it by hand."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import psutil

from scripts.ports import free_port

from ..clients.http import Caller, answers
from ..context import Context
from ..measuring.report import Report, half_ms, ms
from ..measuring.timing import Sample, in_turn, stopwatch, wait_until
from ..systems.server import Server, jupyterlab, stop
from ..systems.sessions import API, create, wait_for
from ..systems.workplace import Workplace, workplace

TITLE = "from asking for a session to a Jupyter that answers"
BY_HAND, OURS = "started by hand", "launched by us"
TARGET = 1.10


@dataclass
class Launches:
    """Launches sessions one by one; stores the last one's launch file and times."""

    place: Workplace
    server: Server
    api: Caller
    orders: dict[str, Any] = field(default_factory=dict)
    running: list[float] = field(default_factory=list)
    reached: list[float] = field(default_factory=list)

    def ours(self) -> float:
        """Create a session; return the seconds until its Jupyter responds on its own port."""
        with stopwatch() as elapsed:
            session = create(self.api, "launched", gpu="0.5")
            path = self.place.state / "sessions" / session["id"] / "launch.json"
            wait_until(path.is_file, "a session has its orders")
            self.orders = json.loads(path.read_bytes())
            wait_until(self._answers(self.orders), "a session's Jupyter answers")
            seconds = elapsed()
            wait_for(self.api, session["id"], "running")
            self.running.append(elapsed())
            through, headers = f"/{session['path'].strip('/')}/api", self.server.headers
            wait_until(
                lambda: answers(self.server.port, through, headers), "the ingress leads there"
            )
            self.reached.append(elapsed())
        self.api.post(f"/sessions/{session['id']}/stop")
        wait_for(self.api, session["id"], "stopped")
        self.api.request("DELETE", f"/sessions/{session['id']}")
        return seconds

    def by_hand(self) -> float:
        """Run the last session's command line as a shell would, on another port."""
        runtime = self.place.folder / "by-hand"
        runtime.mkdir(exist_ok=True)
        port = f"--ServerApp.port={free_port()}"
        argv = [port if "App.port=" in word else word for word in self.orders["argv"]]
        env = {**self.orders["env"], "JUPYTER_RUNTIME_DIR": str(runtime)}
        # By this mark the controller would take the process for one of its own.
        del env["GPUQUOTA_SESSION"]
        with (self.place.folder / "by-hand.log").open("wb") as log, stopwatch() as elapsed:
            process = psutil.Popen(
                argv,
                cwd=self.orders["folder"],
                env=env,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
            try:
                wait_until(self._answers({"argv": argv, "env": env}), "Jupyter answers")
                return elapsed()
            finally:
                stop(process)

    @staticmethod
    def _answers(orders: dict[str, Any]) -> Callable[[], bool]:
        """Return a function that requests `/api` of the Jupyter started with this launch file."""
        port = int(_option(orders["argv"], "port"))
        path = _option(orders["argv"], "base_url").rstrip("/") + "/api"
        headers = {"Authorization": f"token {orders['env']['JUPYTER_TOKEN']}"}
        return lambda: answers(port, path, headers)


def measure(context: Context) -> Report:
    """Launch and start by hand in turn, with the controller already running."""
    with workplace(context.environment) as place, jupyterlab(place) as server:
        launches = Launches(place, server, server.caller(API))
        launches.ours()  # starts the controller, and gives the command line
        launches.running.clear()
        launches.reached.clear()
        sides = {OURS: launches.ours, BY_HAND: launches.by_hand}
        samples = in_turn(context.rounds(15, 5), sides, warm_up=0)
        launches.api.close()
    return _report(samples, launches)


def _report(samples: dict[str, Sample], launches: Launches) -> Report:
    report = Report()
    hand = samples[BY_HAND]
    ratio = (samples[OURS] / hand).median
    table = report.table(
        f"Until the session's own port answers /api ({len(hand.values)} each)",
        *("", "median", "middle half", "times by hand"),
    )
    table.add(BY_HAND, ms(hand.median), half_ms(hand), "")
    rows = {
        OURS: samples[OURS],
        "… and shown as running": Sample(tuple(launches.running)),
        "… and answering through the ingress": Sample(tuple(launches.reached)),
    }
    for name, sample in rows.items():
        table.add(name, ms(sample.median), half_ms(sample), f"{(sample / hand).median:.2f}")
    report.judge(
        "launch to answering Jupyter",
        f"{ratio:.2f} times by hand",
        "at most 1.10",
        met=ratio <= TARGET,
    )
    return report


def _option(argv: list[str], name: str) -> str:
    mark = f"App.{name}="
    return next(word.partition("=")[2] for word in argv if mark in word)
