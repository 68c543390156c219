"""`quota`: projects and what they use."""

from __future__ import annotations

from ...client import Client
from ..command import Args, Command
from ..console import Console
from ..views.quota import QuotaView


def _show(client: Client, _args: Args, _console: Console) -> QuotaView:
    return QuotaView(client.quota.get().document)


COMMANDS = (Command("quota", "show projects and their use of GPUs", _show, section="Resources"),)
