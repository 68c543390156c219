"""All commands. Each module or package in this folder is a noun with its `COMMANDS`."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from ..command import Command

COMMANDS: tuple[Command, ...] = tuple(
    command
    for module in iter_modules(__path__)
    for command in import_module(f"{__name__}.{module.name}").COMMANDS
)
