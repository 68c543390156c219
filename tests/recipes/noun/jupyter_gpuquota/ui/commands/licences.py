"""`licences`: licences and their free seats."""

from __future__ import annotations

from ...client import Client
from ..command import Args, Command
from ..console import Console
from ..views.licences import LicencesView


def _show(client: Client, _args: Args, _console: Console) -> LicencesView:
    return LicencesView(client.licences.list().document)


COMMANDS = (Command("licences", "show licences and their free seats", _show, section="Resources"),)
