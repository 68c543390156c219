"""A notebook whose kernel runs in a session, compared with a kernel here."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager

from ..context import Context
from ..measuring.report import Report, half_ms, ms, signed_ms
from ..measuring.timing import Sample, in_turn, stopwatch
from ..systems.server import jupyterlab
from ..systems.sessions import API, create, wait_for
from ..systems.workplace import workplace

TITLE = "a session as the kernel of a notebook"
HERE, THERE = "here", "there"
ADDED_SECONDS, OUTPUT_SHARE = 0.001, 0.8
_PATIENCE = 120.0
_OUTPUT = "for _ in range(2000): print('x' * 10_000)"
"""20 MB of stream output."""


@dataclass(frozen=True)
class Kernels:
    """Kernels here and in a session, each behind its kernelspec."""

    specs: KernelSpecManager
    env: Mapping[str, str]

    @classmethod
    def of(cls, folder: Path, python: str, session: str, env: Mapping[str, str]) -> Kernels:
        """Write both kernelspecs into a folder."""
        programs = {HERE: ["ipykernel_launcher"], THERE: ["jupyter_gpuquota.kernels"]}
        for name, program in programs.items():
            flags = ["--session", session] if name == THERE else []
            argv = [python, "-m", *program, *flags, "-f", "{connection_file}"]
            document = {"argv": argv, "display_name": name, "interrupt_mode": "message"}
            (folder / name).mkdir(parents=True)
            (folder / name / "kernel.json").write_text(json.dumps(document))
        specs = KernelSpecManager(kernel_dirs=[str(folder)], ensure_native_kernel=False)
        return cls(specs, env)

    @contextmanager
    def started(self, name: str) -> Iterator[BlockingKernelClient]:
        """Start a kernel, and shut it down at the end."""
        manager = KernelManager(kernel_name=name, kernel_spec_manager=self.specs)
        manager.start_kernel(env=dict(self.env))
        client: BlockingKernelClient = manager.client()
        client.start_channels()
        try:
            client.wait_for_ready(timeout=_PATIENCE)
            yield client
        finally:
            client.stop_channels()
            manager.shutdown_kernel()

    def start(self, name: str) -> float:
        """Return the seconds from starting a kernel until its first cell has run."""
        with stopwatch() as elapsed, self.started(name) as client:
            run(client, "1")
            return elapsed()


def run(client: BlockingKernelClient, code: str) -> float:
    """Return the seconds from `execute_request` to `idle`."""
    with stopwatch() as elapsed:
        asked = client.execute(code)
        while True:
            message: dict[str, Any] = client.get_iopub_msg(timeout=_PATIENCE)
            mine = message["parent_header"].get("msg_id") == asked
            if mine and message["content"].get("execution_state") == "idle":
                seconds = elapsed()
                client.get_shell_msg(timeout=_PATIENCE)
                return seconds


def measure(context: Context) -> Report:
    """Measure in a JupyterLab's session."""
    with workplace(context.environment) as place, jupyterlab(place) as server:
        api = server.caller(API)
        session = create(api, "kernel", gpu="0.5")
        wait_for(api, session["id"], "running")
        env = {**place.variables(), "GPUQUOTA_STATE_DIR": str(place.state)}
        folder = place.folder / "kernels"
        kernels = Kernels.of(folder, place.environment.python, "kernel", env)
        report = report_of(kernels, context.rounds(300, 50), context.rounds(10, 3))
        api.close()
    return report


def report_of(kernels: Kernels, cells: int, rounds: int) -> Report:
    """Measure cells, output and starts of both kernels in turn."""
    report = Report()
    with kernels.started(HERE) as here, kernels.started(THERE) as there:
        clients = {HERE: here, THERE: there}
        taken = in_turn(cells, {n: partial(run, c, "pass") for n, c in clients.items()}, warm_up=5)
        _tell(report, "From execute_request to idle", taken, digits=2)
        output = in_turn(rounds, {n: partial(run, c, _OUTPUT) for n, c in clients.items()})
        _tell(report, "20 MB of stream output", output)
    starts = in_turn(rounds, {name: partial(kernels.start, name) for name in clients})
    _tell(report, "From choosing a kernel of a running session to In [1]", starts)
    share = (output[HERE] / output[THERE]).median
    met = share >= OUTPUT_SHARE
    report.judge("stream output", f"{share:.0%} of a kernel here", "at least 80 %", met=met)
    return report


def _tell(report: Report, title: str, taken: Mapping[str, Sample], digits: int = 0) -> None:
    here, there = taken[HERE], taken[THERE]
    table = report.table(title, "", "median", "middle half", "added")
    table.add("a kernel here", ms(here.median, digits), half_ms(here, digits), "")
    added = (there - here).median
    figures = ms(there.median, digits), half_ms(there, digits), signed_ms(added, digits)
    table.add("in a session", *figures)
    if digits:
        met = added <= ADDED_SECONDS
        report.judge("a cell's latency", signed_ms(added, digits), "at most +1 ms", met=met)
