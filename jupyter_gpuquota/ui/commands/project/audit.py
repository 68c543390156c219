"""`project audit`: who changed settings."""

from __future__ import annotations

from ....client import Client
from ...arguments import whole_number
from ...command import Args, Command
from ...console import Console
from ...parser import Parser
from ...views.projects import AuditView


def _fill(parser: Parser) -> None:
    parser.add_argument(
        "-n",
        "--limit",
        type=whole_number,
        default=20,
        metavar="N",
        help="number of changes, newest first (default: 20)",
    )


def _show(client: Client, args: Args, _console: Console) -> AuditView:
    return AuditView(client.audit(limit=args.limit).document)


ACTIONS = (
    Command(
        "audit",
        "show changes of projects, rules and policies",
        _show,
        _fill,
        examples=("project audit", "project audit -n 100"),
    ),
)
