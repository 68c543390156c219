"""What a command is: its name, its help, its arguments and what it does."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from ..client import Client
from .console import Console
from .parser import Parser
from .views.view import View

Args = argparse.Namespace
Answer = View[Any]
Run = Callable[[Client, Args, Console], Answer | None]
Section = Literal["Sessions", "Resources", "Administration", "Tools"]


def run(client: Client, args: Args, console: Console) -> Answer | None:
    """Run the command that parsed words name; None if everything has been shown already."""
    command: Command = args.chosen
    return command.run(client, args, console) if command.run else None


def no_arguments(_parser: Parser) -> None:
    """Add nothing."""


@dataclass(frozen=True, slots=True)
class Command:
    """One command, or one action of a command.

    `run` returns None if everything has been shown already. A command either has a `run` of its own
    or `actions`, of which `default` is taken when none is named, and `said` if the first word is a
    whole sentence, which becomes its message. `notes` and `examples` follow the
    arguments in its help; examples are lines without the program's name. `takes_rest` allows words
    after `--`. A `hidden` command runs, and is not mentioned.
    """

    name: str
    summary: str
    run: Run | None = None
    fill: Callable[[Parser], None] = no_arguments
    notes: str = ""
    examples: tuple[str, ...] = ()
    actions: tuple[Command, ...] = ()
    default: str = ""
    said: str = ""
    section: Section = "Tools"
    takes_rest: bool = False
    shell_only: bool = False
    hidden: bool = False
    prints_json: bool = True
