"""A notebook whose kernel runs in a session, compared with a kernel here and Jupyter's gateway."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from jupyter_client.blocking.client import BlockingKernelClient
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager

from ..clients.page_kernel import PageKernel
from ..context import Context
from ..measuring.report import Report, half_ms, ms, signed_ms
from ..measuring.timing import Sample, in_turn, stopwatch, wait_until
from ..systems.gateway import UNLIMITED, gateway_client
from ..systems.server import Server, jupyterlab
from ..systems.sessions import API, create, wait_for
from ..systems.workplace import workplace

TITLE = "a session as the kernel of a notebook"
HERE, THERE, NEW, GATEWAY = "here", "there", "new", "gateway"
NAMES = {
    HERE: "a kernel here",
    THERE: "in a session",
    NEW: "in a new session, from a template",
    GATEWAY: "by Jupyter's gateway client",
}
ADDED_SECONDS, OUTPUT_SHARE = 0.001, 0.8
_PATIENCE = 120.0
_OUTPUT = "for _ in range(2000): print('x' * 10_000)"
"""20 MB of stream output."""
_LINES, _SIZE = "for _ in range(20): print('x' * 1_000_000, flush=True)", 20 * 1_000_001
"""The same in messages of 1 MB: Jupyter's gateway client loses those of more than 10 MB."""


@dataclass(frozen=True)
class Kernels:
    """Kernels here and in a session, each behind its kernelspec."""

    specs: KernelSpecManager
    env: Mapping[str, str]

    @classmethod
    def of(cls, folder: Path, python: str, place: str, env: Mapping[str, str]) -> Kernels:
        """Write the kernelspecs into a folder: `place` is that of a session and of a template."""
        programs = {
            HERE: ["ipykernel_launcher"],
            THERE: ["jupyter_gpuquota.kernels", "--session", place],
            NEW: ["jupyter_gpuquota.kernels", "--template", place],
        }
        for name, program in programs.items():
            argv = [python, "-m", *program, "-f", "{connection_file}"]
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
    cells, rounds = context.rounds(300, 50), context.rounds(10, 3)
    plain = partial(workplace, context.environment, extensions=())
    with (
        plain() as near,
        plain() as far,
        workplace(context.environment) as place,
        jupyterlab(place, UNLIMITED) as server,
    ):
        api = server.caller(API)
        session = create(api, "kernel", gpu="0.5")
        api.put("/templates/own/kernel", {"request": {"project": "team-a", "gpu": "0.25"}})
        wait_for(api, session["id"], "running")
        env = {**place.variables(), "GPUQUOTA_STATE_DIR": str(place.state)}
        folder = place.folder / "kernels"
        kernels = Kernels.of(folder, place.environment.python, "kernel", env)
        report = report_of(kernels, cells, rounds)
        api.close()
        with gateway_client(near, far) as gateway:
            tell_of_pages(report, server, gateway, cells, rounds)
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
    starts = in_turn(rounds, {name: partial(kernels.start, name) for name in (*clients, NEW)})
    _tell(report, "From choosing a kernel to In [1]", starts)
    share = (output[HERE] / output[THERE]).median
    met = share >= OUTPUT_SHARE
    report.judge("stream output", f"{share:.0%} of a kernel here", "at least 80 %", met=met)
    return report


def tell_of_pages(report: Report, server: Server, gateway: Server, cells: int, rounds: int) -> None:
    """Measure what a page sees: of kernels here, in a session, and behind a gateway client."""
    offered = server.caller("/api/kernelspecs")
    own = "gpu-kernel"
    wait_until(lambda: own in offered.get("")["kernelspecs"], "the session's kernel is offered")
    offered.close()
    opens: dict[str, Callable[[], PageKernel]] = {
        HERE: partial(PageKernel, server, "python3", binary=True),
        THERE: partial(PageKernel, server, own, binary=True),
        GATEWAY: partial(PageKernel, gateway, "python3", binary=False),
    }
    with ExitStack() as opened:
        pages = {n: opened.enter_context(closing(start())) for n, start in opens.items()}
        runs = {name: partial(page.run, "pass") for name, page in pages.items()}
        taken = in_turn(cells, runs, warm_up=5)
        _tell(report, "As a page sees it: from execute_request to idle", taken, 2, judged=False)
        much = {name: partial(page.run, _LINES, _SIZE) for name, page in pages.items()}
        _tell(report, "As a page sees it: 20 MB of stream output", in_turn(rounds, much))
    starts = {name: partial(_start, start) for name, start in opens.items()}
    _tell(report, "As a page sees it: from choosing a kernel to In [1]", in_turn(rounds, starts))


def _start(start: Callable[[], PageKernel]) -> float:
    with stopwatch() as elapsed, closing(start()) as page:
        page.run("1")
        return elapsed()


def _tell(
    report: Report, title: str, taken: Mapping[str, Sample], digits: int = 0, *, judged: bool = True
) -> None:
    here = taken[HERE]
    table = report.table(title, "", "median", "middle half", "added")
    for name, sample in taken.items():
        figures = ms(sample.median, digits), half_ms(sample, digits)
        more = "" if name == HERE else signed_ms((sample - here).median, digits)
        table.add(NAMES[name], *figures, more)
    if digits and judged:
        added = (taken[THERE] - here).median
        met = added <= ADDED_SECONDS
        report.judge("a cell's latency", signed_ms(added, digits), "at most +1 ms", met=met)
