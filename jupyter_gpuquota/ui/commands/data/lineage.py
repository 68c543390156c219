"""`data lineage`."""

from __future__ import annotations

from ....client import Client
from ...command import Args, Command
from ...console import Console
from ...views.data.versions import LineageView
from .arguments import add_version


def _lineage(client: Client, args: Args, _console: Console) -> LineageView:
    return LineageView(client.datasets.lineage(args.name))


COMMANDS = (
    Command(
        "lineage",
        "show what has made versions, and which sessions have used them",
        _lineage,
        add_version,
        examples=("data lineage digits", "data lineage digits@v1 --json"),
    ),
)
