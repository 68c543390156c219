"""`simulate`: quotas tried on a scenario, without a server."""

from __future__ import annotations

from ....client import Client
from ...command import Args, Command
from ...console import Console
from ...parser import Parser


def _fill(parser: Parser) -> None:
    parser.add_argument("file", metavar="FILE", help="a scenario in YAML")


def _simulate(_client: Client, args: Args, console: Console) -> None:
    from .play import play  # noqa: PLC0415 (loads the scheduler, which no other command needs)

    play(args.file, console, as_json=console.shell and args.json)


COMMANDS = (
    Command(
        "simulate",
        "try quotas on a scenario, without a server",
        _simulate,
        _fill,
        notes="Runs the steps of the file through the scheduler and shows the outcome of each. It "
        "needs no server and no GPU, and changes nothing. Exit code 1: the file expects something "
        "else; 2: the file cannot be read.",
        examples=("simulate quota.yaml",),
    ),
)
