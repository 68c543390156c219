"""The words of `project` and `audit`."""

from __future__ import annotations

import argparse
from typing import cast

from ..client.projects import Settings
from ..errors import InvalidRequest
from .parser import Parser

_ONLY: dict[str, tuple[str, ...]] = {
    "quota": ("set",),
    "weight": ("set",),
    "limit": ("set",),
    "priority": ("set",),
    "members": ("set",),
    "leads": ("set",),
    "viewers": ("set",),
    "interactive_on": ("set",),
    "train_on": ("set",),
    "interactive_duration": ("set",),
    "min_runtime": ("set",),
    "drain": ("delete",),
    "dry_run": ("set", "delete"),
}
"""What may be said to which of the actions."""

_PEOPLE = {"members": "all", "leads": "none", "viewers": "none"}
"""Lists of accounts and groups, and the word for an empty one."""


def fill_project(parser: Parser) -> None:
    """Add the words of `project`."""
    actions = ("list", "show", "set", "delete")
    parser.add_argument("action", nargs="?", default="list", choices=actions, help="what to do")
    parser.add_argument("team", nargs="?", default="", metavar="NAME", help="the project")
    parser.add_argument("-q", "--quota", metavar="N", help="GPUs that it has by right")
    parser.add_argument(
        "--weight", metavar="N", help="its part of what others leave; 'quota': as that"
    )
    parser.add_argument("--limit", metavar="N", help="most GPUs that it may hold; 'none': no limit")
    parser.add_argument("--priority", type=int, metavar="N", help="0 to 1000: who borrows first")
    parser.add_argument(
        "--members", metavar="A,B", help="accounts and group:NAMEs that may launch; 'all': everyone"
    )
    parser.add_argument(
        "--leads", metavar="A,B", help="who may stop, suspend and keep alive sessions; 'none'"
    )
    parser.add_argument(
        "--viewers", metavar="A,B", help="who sees its sessions without launching; 'none'"
    )
    parser.add_argument(
        "--interactive-on", metavar="G,H", help="node groups of interactive sessions; 'any'"
    )
    parser.add_argument("--train-on", metavar="G,H", help="node groups of trainings; 'any'")
    parser.add_argument(
        "--interactive-duration", metavar="T", help="longest interactive session: 8h, 90m; 0: none"
    )
    parser.add_argument(
        "--min-runtime", metavar="T", help="how long a session runs before it may be reclaimed"
    )
    parser.add_argument(
        "--drain", action="store_true", default=None, help="delete it once its sessions have ended"
    )
    parser.add_argument(
        "--dry-run", action="store_true", default=None, help="only say what would happen"
    )


def fill_audit(parser: Parser) -> None:
    """Add the words of `audit`."""
    parser.add_argument(
        "-n", "--limit", type=int, default=20, metavar="N", help="newest N changes (usual: 20)"
    )


def check(args: argparse.Namespace) -> None:
    """Raise InvalidRequest for words that do not go together."""
    for dest, actions in _ONLY.items():
        if getattr(args, dest) is not None and args.action not in actions:
            option = "--" + dest.replace("_", "-")
            raise InvalidRequest(
                f"project {args.action} takes no {option}.",
                hint=f"It goes with project {' or '.join(actions)}.",
            )
    if bool(args.team) == (args.action == "list"):
        wrong = "takes no name" if args.team else "needs the name of a project"
        raise InvalidRequest(f"project {args.action} {wrong}.", hint="See `help project`.")


def settings(args: argparse.Namespace) -> Settings:
    """Return what is to be set."""
    found = Settings()
    if args.quota is not None:
        found["quota"] = args.quota
    if args.weight is not None:
        found["weight"] = None if args.weight == "quota" else args.weight
    if args.limit is not None:
        found["limit"] = None if args.limit == "none" else args.limit
    if args.priority is not None:
        found["priority"] = args.priority
    if args.interactive_duration is not None:
        found["interactive_duration"] = args.interactive_duration
    if args.min_runtime is not None:
        found["min_runtime"] = args.min_runtime
    said = {field: getattr(args, field) for field in _PEOPLE}
    people = {f: names(text, _PEOPLE[f]) for f, text in said.items() if text is not None}
    return cast("Settings", {**found, **people})


def names(text: str, none: str) -> tuple[str, ...]:
    """Return the names of a list with commas; `none` stands for an empty one."""
    return () if text == none else tuple(part.strip() for part in text.split(","))
