"""`logs`: the output of a session."""

from __future__ import annotations

import argparse

from ....client import Client
from ....client.connection.protocol import to_json
from ...arguments import add_session, whole_number
from ...command import Args, Command
from ...console import Console
from ...parser import Parser
from ...views.texts import LogView

NOTEBOOK_LINES = 1000
"""Lines of a log that a notebook shows by default: a whole log could be too long."""


def _fill(parser: Parser) -> None:
    add_session(parser)
    parser.add_argument(
        "-f", "--follow", action="store_true", help="show new output until the session ends"
    )
    parser.add_argument(
        "--tail",
        type=_lines,
        metavar="N",
        help=f"only the last N lines (default: all; in a notebook {NOTEBOOK_LINES})",
    )
    parser.add_argument(
        "--raw",
        action="store_true",
        help="let it control this terminal, too (default: only colours and progress bars)",
    )
    parser.add_argument(
        "--process",
        type=int,
        default=0,
        metavar="N",
        help="the process of a training that has several, from 0 (default: 0)",
    )


def _logs(client: Client, args: Args, console: Console) -> LogView | None:
    """Show a log, or follow it until it ends or the user interrupts."""
    default = None if console.shell or args.follow else NOTEBOOK_LINES
    tail = default if args.tail is None else args.tail
    which = {"project": args.project, "tail": tail, "process": args.process}
    if not args.follow:
        return LogView(client.sessions.log(args.name, **which))
    try:
        for chunk in client.sessions.follow(args.name, **which):
            console.write(f"{to_json(chunk)}\n" if console.shell and args.json else chunk.text)
    except KeyboardInterrupt:
        console.note("")
    return None


def _lines(text: str) -> int:
    if not whole_number(text):
        raise argparse.ArgumentTypeError("must be at least 1; leave it out for the whole log")
    return int(text)


COMMANDS = (
    Command(
        "logs",
        "show the output of a session",
        _logs,
        _fill,
        examples=("logs train1 --tail 50", "logs train1 -f", "logs train3 --process 2"),
        section="Sessions",
    ),
)
