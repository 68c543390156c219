"""`nodes`: nodes and their GPUs."""

from __future__ import annotations

from ...client import Client
from ..command import Args, Command
from ..console import Console
from ..views.nodes import NodesView


def _show(client: Client, _args: Args, _console: Console) -> NodesView:
    return NodesView(client.nodes.list().document)


COMMANDS = (Command("nodes", "show nodes and their GPUs", _show, section="Resources"),)
