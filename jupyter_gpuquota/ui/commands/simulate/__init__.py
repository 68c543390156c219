"""`simulate`: quotas tried on a scenario, without a server."""

from __future__ import annotations

from ....client import Client
from ...command import Args, Command
from ...console import Console
from ...parser import Parser


def _fill(parser: Parser) -> None:
    parser.add_argument(
        "files",
        metavar="PATH",
        nargs="+",
        help="a scenario in YAML, a folder of them, or JSON lines (.jsonl, .jsonl.gz)",
    )
    parser.add_argument(
        "--report",
        action="store_true",
        help="add waits, preemptions, goodput, lost GPU hours and fairness",
    )


def _simulate(_client: Client, args: Args, console: Console) -> None:
    from .play import play  # noqa: PLC0415 (loads the scheduler, which no other command needs)

    as_json = console.shell and args.json
    play(tuple(args.files), console, as_json=as_json, report=args.report)


COMMANDS = (
    Command(
        "simulate",
        "try quotas on a scenario, without a server",
        _simulate,
        _fill,
        notes="Runs the steps of a file through the scheduler and shows the outcome of each; of "
        "several files, how many ended as expected. It needs no server and no GPU, and changes "
        "nothing. Exit code 1: a file expects something else; 2: a file cannot be read.",
        examples=("simulate quota.yaml", "simulate scenarios/ --report"),
    ),
)
