"""`project rules`: scheduling rules of all projects."""

from __future__ import annotations

from ....client import Client
from ....client.rules import Settings
from ...command import Args, Command
from ...console import Console
from ...parser import Parser
from ...views.rules import RulesView


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


def _rules(client: Client, args: Args, _console: Console) -> RulesView:
    settings = Settings()
    if args.grace is not None:
        settings["grace"] = args.grace
    if args.min_runtime is not None:
        settings["min_runtime"] = args.min_runtime
    if args.consolidate is not None:
        settings["consolidate"] = args.consolidate == "yes"
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
        ),
    ),
)
