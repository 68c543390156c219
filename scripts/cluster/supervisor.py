"""The process that holds one test cluster: it starts every program, and ends with all of them."""

from __future__ import annotations

import asyncio
import json
import shutil
import signal
import sys
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..ports import free_ports
from . import certificates, settings, setup, users
from .build import CERTIFICATES
from .egress import Egress
from .layout import PORTS, Layout
from .parts import parts
from .processes import NotRunning, Processes
from .rest import Refused, Rest

STORE = ("etcd", "apiserver")
CONTROLLERS = ("controller-manager", "scheduler")
OTHERS = ("kwok", "kubelet", "kueue", "snapshot-controller", "mpi-operator", "storage")

KINDS = (
    "kwok-crds",
    "kueue-crds",
    "gateway-crds",
    "snapshot-crds",
    "mpi-crds",
    "trainer-crds",
    "jobset-crds",
)

READY = "ready"
"""The line that is printed when the cluster is up."""


class Supervisor:
    """One test cluster in a folder of its own."""

    def __init__(self, folder: Path, build: Path) -> None:
        self._layout = Layout(folder, build, free_ports(PORTS))
        self._processes = Processes(parts(self._layout), folder, self._layout.logs)
        self._ending = asyncio.Event()

    async def up(self) -> None:
        """Start everything. Raises NotRunning or TimeoutError with the reason."""
        layout = self._layout
        _prepare(layout)
        rest = Rest.of(layout.kubeconfig("admin"))
        self._egress = await Egress(rest).start(layout.egress)
        await self._start(*STORE)
        await self._do(setup.install_kinds, rest, layout, KINDS)
        await self._do(setup.install_roles, rest, layout)
        # Controllers that begin now look at kinds and roles once, not after each of them.
        await self._start(*CONTROLLERS)
        await self._do(rest.apply, setup.kueue_namespace())
        await self._do(setup.install_nodes, rest, layout)
        await self._do(setup.install_storage, rest)
        await self._start(*OTHERS)
        await self._do(setup.install_kueue, rest, layout)
        await self._do(setup.wait_for_nodes, rest)

    async def serve(self, *, detached: bool) -> None:
        """Take commands until SIGTERM or, unless detached, the end of input; then end all."""
        ending = self._ending
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, ending.set)
        if not detached:
            await _at_end_of_input(ending.set)
        rising = asyncio.create_task(self._rise())
        waiting = asyncio.create_task(ending.wait())
        try:
            await asyncio.wait({rising, waiting}, return_when=asyncio.FIRST_COMPLETED)
            if rising.done():
                rising.result()
                await waiting
        finally:
            rising.cancel()
            waiting.cancel()
            await self._processes.kill_all()

    async def _rise(self) -> None:
        await self.up()
        self._commands = await asyncio.start_unix_server(self._command, self._layout.control)
        print(READY, flush=True)

    async def _command(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one command: `{"do": "kill", "part": "apiserver"}`."""
        asked = json.loads(await reader.readline())
        answer: dict[str, Any] = {}
        try:
            await self._obey(asked["do"], asked.get("part", ""))
        except (KeyError, NotRunning, TimeoutError) as error:
            answer["error"] = f"{type(error).__name__}: {error}"
        answer["pids"] = self._processes.pids()
        writer.write(json.dumps(answer).encode() + b"\n")
        await writer.drain()
        writer.close()

    async def _obey(self, command: str, part: str) -> None:
        match command:
            case "start":
                await self._start(part)
            case "repair":
                await self._start(*STORE)
                await self._start(*CONTROLLERS, *OTHERS)
            case "stop":
                await self._processes.stop(part)
            case "kill":
                await self._processes.stop(part, signal.SIGKILL)
            case "end":
                self._ending.set()
            case "status":
                pass
            case _:
                raise KeyError(command)

    async def _start(self, *names: str) -> None:
        """Start programs, and wait until those that can be asked are ready."""
        for name in names:
            await self._processes.start(name)
        for name in names:
            if probe := _probe(name, self._layout):
                await self._do(setup.wait_for, probe, f"{name} is ready")

    async def _do(self, call: Callable[..., object], *arguments: object) -> None:
        """Make a blocking call, and give up as soon as a program has ended."""
        task = asyncio.create_task(asyncio.to_thread(call, *arguments))
        while not task.done():
            self._processes.check()
            await asyncio.wait({task}, timeout=0.5)
        await task


def _prepare(layout: Layout) -> None:
    """Write all files; nothing of an earlier cluster in this folder is kept."""
    for old in (layout.folder / "etcd", layout.pods, layout.logs):
        shutil.rmtree(old, ignore_errors=True)
    layout.save()
    certificates.write(layout.keys)
    users.write(layout.conf, layout.server, layout.keys / "ca.crt")
    settings.write(layout)
    kueue = layout.folder / CERTIFICATES
    kueue.mkdir(exist_ok=True)
    for ending in ("crt", "key"):
        shutil.copy(layout.keys / f"tls.{ending}", kueue)


def _probe(name: str, layout: Layout) -> Callable[[], object] | None:
    """Return a call that succeeds when a program is ready."""
    match name:
        case "apiserver":
            rest = Rest.of(layout.kubeconfig("admin"))
            return lambda: rest.request("GET", "/readyz")
        case "kueue":
            url = f"http://127.0.0.1:{layout.ports['kueue-health']}/readyz"
            return lambda: urllib.request.urlopen(url, timeout=10).close() is None  # noqa: S310
    return None


async def _at_end_of_input(call: Callable[[], object]) -> None:
    """Call a function when standard input ends: so does the process at its other end."""

    class Protocol(asyncio.Protocol):
        def connection_lost(self, exc: Exception | None) -> None:
            call()

    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(Protocol, sys.stdin)


async def serve(folder: Path, build: Path, *, detached: bool) -> int:
    """Run a cluster in a folder until it is told to end; return an exit code."""
    try:
        await Supervisor(folder, build).serve(detached=detached)
    except (NotRunning, TimeoutError, Refused) as error:
        print(f"The test cluster does not start: {error}\nLogs: {folder / 'log'}", flush=True)
        return 1
    finally:
        (folder / "control.sock").unlink(missing_ok=True)
        if not detached:
            shutil.rmtree(folder, ignore_errors=True)  # whoever would do it may have been killed
    return 0
