"""Run one cell of this notebook in a session."""

from __future__ import annotations

from contextlib import closing
from typing import Any

from ...client import Client
from ...client.variables import near
from ...errors import FieldError, Unavailable, refused
from ...kernels.cells.notebook import Notebook
from ...kernels.cells.running import CellKernel
from ...kernels.cells.talk import KernelTalk
from ...kernels.channels.port import ChannelsLost
from ..console import Console
from .arguments import CellLine
from .attaching import Attaching
from .failed import failed
from .outputs import NotebookOutputs
from .target import running


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
    attaching = Attaching(client, session, notebook, console)
    found = attaching.first()
    if found.note:
        console.note(found.note.rstrip())
    try:
        with closing(CellKernel(found.kernel, found.channels, attaching.again)) as there:
            if values:
                _say(console, near.put(KernelTalk(there), values, console.redraw), "sent")
            failure = there.run(cell, NotebookOutputs()) if cell.strip() else None
            if failure:
                raise failed(failure)
            if line.gives:
                fetched, sizes = near.get(KernelTalk(there), line.gives, console.redraw)
                _say(console, sizes, "received")
                namespace.update(fetched)
    except ChannelsLost:
        attaching.again().channels.close()  # or it raises why the kernel has ended
        raise Unavailable(
            "The connection broke while variables were carried.", hint="Run the cell again."
        ) from None


def _taken(namespace: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    missing = [name for name in names if name not in namespace]
    if missing:
        problems = (FieldError("in", f"There is no variable {name} here.") for name in missing)
        raise refused(*problems)
    return {name: namespace[name] for name in names}


def _say(console: Console, sizes: dict[str, int], verb: str) -> None:
    shown = ", ".join(f"{name} {near.size_text(size)}" for name, size in sizes.items())
    console.note(f"{verb}: {shown}")
