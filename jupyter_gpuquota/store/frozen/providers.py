"""The ways to freeze a folder of this machine, the best one first."""

from __future__ import annotations

from .btrfs import Btrfs
from .commands import Commands, MachineCommands
from .reflinks import Reflinks
from .views import Provider
from .zfs import Zfs


def providers(commands: Commands | None = None) -> tuple[Provider, ...]:
    """Return all ways; which of them a folder has is tried each time."""
    commands = commands or MachineCommands()
    return (Btrfs(commands), Zfs(commands), Reflinks())
