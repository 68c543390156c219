"""`snapshot reproduce`: the commands that rebuild a run, as text, as a notebook, or carried out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ....client import Client
from ....client.connection.protocol import to_json
from ....errors import Conflict, InvalidRequest
from ....model.snapshots.snapshots import SnapshotDetails
from ...arguments import offer
from ...command import Args, Command
from ...console import Console
from ...parser import Parser
from ...views import snapshots as views
from ...views.texts import TextView
from ...views.view import View

_SHELL = "jupyter gpu "


def add_snapshot(parser: Parser) -> None:
    """Add the name of a snapshot."""
    help_ = "an id, its beginning, a tag, a session, or latest"
    argument = parser.add_argument("snapshot", metavar="ID", help=help_)
    offer(argument, lambda client, _words: (each.short for each in client.snapshots.list()))


def notebook(found: SnapshotDetails) -> dict[str, Any]:
    """Return a notebook whose cells rebuild the run of a snapshot (nbformat 4.5)."""
    snapshot = found.snapshot
    metrics = ", ".join(f"{name}={value:g}" for name, value in snapshot.metrics.items())
    title = f"# The run of snapshot {snapshot.short}\n\n{snapshot.note}\n\n{metrics}".strip()
    magics = (
        line if line.startswith("#") else f"%gpu {line.removeprefix(_SHELL)}"
        for line in found.reproduce
    )
    code = ["%load_ext jupyter_gpuquota", *magics]
    return {
        "nbformat": 4,
        "nbformat_minor": 5,
        "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3"}},
        "cells": [
            {"id": "title", "cell_type": "markdown", "metadata": {}, "source": title},
            *(_cell(number, line) for number, line in enumerate(code)),
        ],
    }


def _cell(number: int, source: str) -> dict[str, Any]:
    return {
        "id": f"step-{number}",
        "cell_type": "code",
        "metadata": {},
        "source": source,
        "outputs": [],
        "execution_count": None,
    }


def _fill(parser: Parser) -> None:
    add_snapshot(parser)
    parser.add_argument("--name", default="", help="with --run: the name of the new session")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--run", action="store_true", help="do it, and compare the results")
    how.add_argument(
        "--notebook", default="", metavar="FILE", help="write the commands as a new notebook"
    )


def _reproduce(client: Client, args: Args, _console: Console) -> View[Any]:
    if args.run:
        return views.comparison(client.snapshots.reproduce(args.snapshot, args.name), results=True)
    if args.name:
        raise InvalidRequest(
            "--name needs --run.",
            hint="Add --run, or change the name in the commands that are shown without --name.",
        )
    found = client.snapshots.show(args.snapshot)
    if args.notebook:
        try:
            with Path(args.notebook).open("x") as file:
                file.write(to_json(notebook(found)))
        except OSError as error:
            text = f"{args.notebook} cannot be written: {error.strerror}."
            raise Conflict(text, hint="Name a new file.") from error
        return TextView({"notebook": args.notebook}, f"Wrote {args.notebook}.")
    text = "\n".join(found.reproduce)
    return TextView({"commands": text}, text)


REPRODUCE = Command(
    "reproduce",
    "show how to run it again, or do so",
    _reproduce,
    _fill,
    notes="With --run the snapshot is restored into a new session, where its program or its "
    "notebooks run, and the results are compared.",
    examples=("snapshot reproduce best", "snapshot reproduce best --run --name best-again"),
)
