"""The words of `rules` and `groups`."""

from __future__ import annotations

from .parser import Parser


def fill_rules(parser: Parser) -> None:
    """Add the words of `rules`; without any it shows them."""
    parser.add_argument("--grace", metavar="T", help="time to save one's work: 60, 5m")
    parser.add_argument(
        "--min-runtime", metavar="T", help="how long a session runs before it may be reclaimed"
    )
    parser.add_argument(
        "--consolidate", choices=("yes", "no"), help="move sessions to make room out of fragments"
    )
    _dry_run(parser)


def fill_groups(parser: Parser) -> None:
    """Add the words of `groups`."""
    actions = ("list", "set", "delete")
    parser.add_argument("action", nargs="?", default="list", choices=actions, help="what to do")
    parser.add_argument("group", nargs="?", default="", metavar="NAME", help="the node group")
    parser.add_argument("nodes", nargs="*", metavar="NODE", help="with set: its nodes")
    parser.add_argument(
        "--separate",
        action="store_true",
        help="with set: compute shares and memory shares never run side by side there",
    )
    _dry_run(parser)


def _dry_run(parser: Parser) -> None:
    parser.add_argument("--dry-run", action="store_true", help="only say what would happen")
