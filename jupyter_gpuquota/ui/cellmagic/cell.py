"""Run one cell of this notebook in a session."""

from __future__ import annotations

import time
from contextlib import closing, suppress
from typing import Any

from ...client import Client
from ...client.lifecycle import AGAIN
from ...client.variables import near
from ...errors import FieldError, GpuQuotaError, refused
from ...kernels import waiting
from ...kernels.attach import AttachedKernel, attach
from ...kernels.cells.notebook import Notebook
from ...kernels.cells.port import Failure
from ...kernels.cells.running import CellKernel
from ...kernels.cells.talk import KernelTalk
from ...kernels.channels.port import ChannelsLost
from ...kernels.channels.probe import ReadyChannels
from ...kernels.preparing import prepare
from ...kernels.session_server import SessionServer
from ...model.sessions import Session
from ..console import Console
from .arguments import CellLine
from .failed import CellFailed, failed
from .outputs import NotebookOutputs
from .target import running

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
    try:
        with closing(_channels(server, kernel, session, notebook, console)) as channels:
            there = CellKernel(channels, kernel.interrupt)
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


def _channels(
    server: SessionServer,
    kernel: AttachedKernel,
    session: Session,
    notebook: Notebook,
    console: Console,
) -> ReadyChannels:
    """Return the channels of a kernel that works in the notebook's folder, if that is there."""
    busy = kernel.state() == "busy"
    channels = kernel.channels()
    if busy or channels.language != "python":
        return channels
    try:
        here = bool(server.endpoint.runtime)
        note = prepare(channels, session, notebook.folder, here=here)
    except BaseException:
        channels.close()
        raise
    if note:
        console.note(note.rstrip())
    return channels


def _taken(namespace: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    missing = [name for name in names if name not in namespace]
    if missing:
        problems = (FieldError("in", f"There is no variable {name} here.") for name in missing)
        raise refused(*problems)
    return {name: namespace[name] for name in names}


def _say(console: Console, sizes: dict[str, int], verb: str) -> None:
    shown = ", ".join(f"{name} {near.size_text(size)}" for name, size in sizes.items())
    console.note(f"{verb}: {shown}")


def _lost(client: Client, session: Session, kernel: AttachedKernel) -> Exception:
    """Return why the connection to a kernel ended; the output so far stays."""
    latest = client.sessions.get(session.id)
    deadline = time.monotonic() + _SECONDS
    while latest.state == "running" and latest.run == session.run:
        with suppress(GpuQuotaError):
            kernel.state()  # its server answers
            return _failed(waiting.KERNEL_DIED)
        if time.monotonic() > deadline:
            return _failed(waiting.UNKNOWN)
        time.sleep(AGAIN)
        latest = client.sessions.get(session.id)
    return _failed(waiting.ended(latest))


def _failed(reason: waiting.Failure) -> CellFailed:
    return failed(Failure(reason.name, reason.text))
