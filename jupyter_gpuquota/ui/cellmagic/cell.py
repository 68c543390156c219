"""Run one cell of this notebook in a session."""

from __future__ import annotations

import time
from contextlib import closing, suppress
from typing import Any

from ...client import Client
from ...client.lifecycle import AGAIN
from ...client.variables import near
from ...errors import FieldError, GpuQuotaError, Unavailable, refused
from ...kernels.attach import AttachedKernel, attach
from ...kernels.cells.notebook import Notebook
from ...kernels.cells.running import CellKernel
from ...kernels.cells.talk import KernelTalk
from ...kernels.channels.port import ChannelsLost
from ...kernels.session_server import SessionServer
from ...model.sessions import Session
from ..console import Console
from .arguments import CellLine
from .failed import failed
from .outputs import NotebookOutputs
from .target import not_running, running

_SECONDS = 20.0
"""Seconds after which a session whose server does not answer should be known to have ended."""


def run_cell(
    client: Client,
    line: CellLine,
    cell: str,
    notebook: Notebook,
    console: Console,
    namespace: dict[str, Any],
) -> None:
    """Run a cell in the session that a line names, and show its outputs here.

    Raises CellFailed for an exception there, and GpuQuotaError for all else.
    """
    values = _taken(namespace, line.takes)
    session = running(client, line, notebook, console)
    server = SessionServer.find(client.context, session.id)
    kernel = attach(server, notebook.kernel_path(session.spec.folder), name=notebook.name)
    with closing(CellKernel(kernel.channels(), kernel.interrupt)) as there:
        try:
            there.ready()
            if values:
                _say(console, near.put(KernelTalk(there), values, console.redraw), "sent")
            failure = there.run(cell, NotebookOutputs()) if cell.strip() else None
            if failure:
                raise failed(failure)
            if line.gives:
                found, sizes = near.get(KernelTalk(there), line.gives, console.redraw)
                _say(console, sizes, "received")
                namespace.update(found)
        except ChannelsLost:
            raise _lost(client, session, kernel) from None


def _taken(namespace: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    missing = [name for name in names if name not in namespace]
    if missing:
        problems = (FieldError("in", f"There is no variable {name} here.") for name in missing)
        raise refused(*problems)
    return {name: namespace[name] for name in names}


def _say(console: Console, sizes: dict[str, int], verb: str) -> None:
    shown = ", ".join(f"{name} {near.size_text(size)}" for name, size in sizes.items())
    console.note(f"{verb}: {shown}")


def _lost(client: Client, session: Session, kernel: AttachedKernel) -> GpuQuotaError:
    """Return why the connection to a kernel ended; the output so far stays."""
    name, latest = session.spec.name, client.sessions.get(session.id)
    deadline = time.monotonic() + _SECONDS
    while latest.state == "running" and latest.run == session.run:
        with suppress(GpuQuotaError):
            kernel.state()  # its server answers
            return Unavailable(
                f"The kernel in {name} has ended; its variables are lost.",
                hint="It may have run out of memory: see the session's log.",
            )
        if time.monotonic() > deadline:
            return Unavailable(f"{name} does not respond.", hint="Run the cell again later.")
        time.sleep(AGAIN)
        latest = client.sessions.get(session.id)
    return not_running(latest)
