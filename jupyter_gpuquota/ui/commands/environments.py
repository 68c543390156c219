"""`environments`: what sessions can start from."""

from __future__ import annotations

from ...client import Client
from ..command import Args, Command
from ..console import Console
from ..views.environments import EnvironmentsView


def _show(client: Client, _args: Args, _console: Console) -> EnvironmentsView:
    return EnvironmentsView(client.environments.list().document)


COMMANDS = (Command("environments", "show environments for sessions", _show, section="Resources"),)
