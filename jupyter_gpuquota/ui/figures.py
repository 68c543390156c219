"""The commands that show how GPUs are and were used."""

from __future__ import annotations

from typing import Any

from ..client import Client
from ..client import history as operations
from ..errors import InvalidRequest
from .grammar import Args
from .screen import Screen
from .views.base import View
from .views.history import HistoryView
from .views.texts import TextView
from .views.top import TopView


def top(client: Client, args: Args, screen: Screen) -> View[Any]:
    """Show who uses what now."""
    return TopView(client.nodes.list(), project=args.project)


def history(client: Client, args: Args, screen: Screen) -> View[Any]:
    """Show how projects used GPUs."""
    if args.csv and screen.shell and args.json:
        raise InvalidRequest("--csv and --json exclude each other.", hint="Keep one of them.")
    asked = operations.get(
        client.context,
        project=args.project,
        hours=args.hours,
        points=args.points,
        by=args.by,
        user=args.user,
    )
    view = HistoryView(client.run(asked))
    return TextView({"csv": view.csv}, view.csv.rstrip("\n")) if args.csv else view
