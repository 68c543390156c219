"""`keep-alive`: protection of an idle session."""

from __future__ import annotations

from datetime import UTC, datetime

from ....client import Client
from ...arguments import add_session
from ...command import Args, Command
from ...console import Console
from ...parser import Parser
from ...views.idle import KeptView


def _fill(parser: Parser) -> None:
    add_session(parser)
    parser.add_argument(
        "span", nargs="?", default="", metavar="T", help="30m, 2h (default: set by the policy)"
    )


def _keep_alive(client: Client, args: Args, _console: Console) -> KeptView:
    kept = client.keep_alive(args.name, args.span, project=args.project)
    return KeptView(kept, datetime.now(UTC))


COMMANDS = (
    Command(
        "keep-alive",
        "prevent idle suspension for a while",
        _keep_alive,
        _fill,
        notes="For that time the session is not suspended even if it is idle. The policy limits "
        "how long and how often. Active sessions do not need it.",
        examples=("keep-alive exp1", "keep-alive exp1 30m"),
        section="Sessions",
    ),
)
