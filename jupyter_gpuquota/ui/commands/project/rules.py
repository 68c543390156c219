"""`project rules`: scheduling rules of all projects."""

from __future__ import annotations

from typing import Any

from ....client import Client
from ....client.rules import Settings
from ....errors import InvalidRequest
from ...arguments import add_dry_run
from ...command import Args, Command
from ...console import Console
from ...parser import Parser
from ...views.projects import ChangeView
from ...views.rules import RulesView
from ...views.view import View


def _fill(parser: Parser) -> None:
    parser.add_argument(
        "--grace", metavar="T", help="time to save before GPUs are reclaimed: 60, 5m"
    )
    parser.add_argument(
        "--min-runtime", metavar="T", help="run time before a session can be preempted: 10m"
    )
    parser.add_argument(
        "--consolidate", choices=("yes", "no"), help="move sessions to reduce fragmentation"
    )
    add_dry_run(parser)


def _rules(client: Client, args: Args, _console: Console) -> View[Any]:
    settings = Settings()
    if args.grace is not None:
        settings["grace"] = args.grace
    if args.min_runtime is not None:
        settings["min_runtime"] = args.min_runtime
    if args.consolidate is not None:
        settings["consolidate"] = args.consolidate == "yes"
    if args.dry_run:
        if not settings:
            raise InvalidRequest("Nothing to try.", hint="See `help project rules`.")
        return ChangeView(client.rules.preview(**settings))
    return RulesView(client.rules.put(**settings) if settings else client.rules.get())


ACTIONS = (
    Command(
        "rules",
        "show or (admin) set scheduling rules of all projects",
        _rules,
        _fill,
        examples=(
            "project rules",
            "project rules --grace 2m --min-runtime 10m --consolidate yes",
            "project rules --consolidate yes --dry-run",
        ),
    ),
)
