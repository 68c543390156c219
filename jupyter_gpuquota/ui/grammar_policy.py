"""The words of `policy` and `keep-alive`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any, cast

from ..client.policy import Rules
from ..errors import FieldError, InvalidRequest, refuse
from ..model.policy import RULES
from .parser import Parser

SUBJECTS = {
    "show": "",
    "set": "a level: everyone, project:NAME or kind:KIND",
    "unset": "a level: everyone, project:NAME or kind:KIND",
    "try": "a level: everyone, project:NAME or kind:KIND",
    "explain": "a session",
    "exempt": "whom: session:NAME, user:NAME or project:NAME",
    "unexempt": "whom: session:NAME, user:NAME or project:NAME",
}
"""What each action needs a word for."""

_ONLY: dict[str, tuple[str, ...]] = {
    "lock": ("set", "try"),
    "unlock": ("set", "try"),
    "dry_run": ("set", "unset"),
    "until": ("exempt",),
    "reason": ("exempt",),
    "project": ("explain",),
}
"""What may be said to which of the actions."""


def fill_policy(parser: Parser) -> None:
    """Add the words of `policy`."""
    parser.add_argument("action", choices=tuple(SUBJECTS), help="what to do")
    parser.add_argument(
        "words",
        nargs="*",
        metavar="LEVEL|SESSION|WHO [RULE=VALUE …]",
        help="what it is about, and with set, unset and try the rules; see the examples",
    )
    parser.add_argument(
        "--lock", metavar="RULE,…", help="with set: no stronger level may set these"
    )
    parser.add_argument("--unlock", metavar="RULE,…", help="with set: stronger levels may again")
    parser.add_argument(
        "--until", metavar="TIME", help="with exempt: 2026-03-01T18:00, or 3d from now"
    )
    parser.add_argument("--reason", metavar="TEXT", help="with exempt: others will want to know")
    parser.add_argument(
        "--dry-run",
        action="store_true",
        default=None,
        help="with set and unset: only say what it would have done over the last week",
    )
    for rule in RULES:  # as it may be said, too: --idle-timeout 2h
        option = "--" + rule.replace("_", "-")
        parser.add_argument(option, dest=f"rule_{rule}", help=argparse.SUPPRESS)
    parser.add_argument("-p", "--project", help="with explain: look in this project only")


def fill_keep_alive(parser: Parser) -> None:
    """Add the words of `keep-alive`."""
    parser.add_argument("name", metavar="NAME", help="name, id, or project/name")
    parser.add_argument(
        "span", nargs="?", default="", metavar="T", help="30m, 2h; usual: as the policy says"
    )
    parser.add_argument("-p", "--project", default="", help="look in this project only")


def check(args: argparse.Namespace) -> None:
    """Tell the words apart; raise InvalidRequest for those that do not go together.

    Without a level, `try` is for everyone.
    """
    for dest, actions in _ONLY.items():
        if getattr(args, dest) is not None and args.action not in actions:
            option = dest.replace("_", "-")
            raise InvalidRequest(
                f"policy {args.action} takes no --{option}.",
                hint=f"It goes with policy {' or '.join(actions)}.",
            )
    words = list(args.words)
    if args.action == "try" and (not words or "=" in words[0]):
        words.insert(0, "everyone")
    needs = SUBJECTS[args.action]
    if needs and not words:
        raise InvalidRequest(f"policy {args.action} needs {needs}.", hint="See `help policy`.")
    args.subject = words.pop(0) if needs else ""
    options = ((rule, getattr(args, f"rule_{rule}")) for rule in RULES)
    said = [f"{rule}={value}" for rule, value in options if value is not None]
    args.rules = [*words, *said]
    extra = said if args.action == "unset" else args.rules
    if extra and args.action not in ("set", "try"):
        raise InvalidRequest(
            f"policy {args.action} does not take {extra[0]!r}.", hint="See `help policy`."
        )


def rules(words: Sequence[str]) -> Rules:
    """Return the rules of `rule=value` words. Raises InvalidFields with all that are none."""
    found: dict[str, Any] = {}
    problems = []
    for word in words:
        rule, separator, value = word.partition("=")
        if not separator or not value.strip():
            hint = f"Write {rule}=VALUE; to leave it to weaker levels, `policy unset`."
            problems.append(FieldError(rule, "Its value is missing.", hint))
        elif rule in found:
            problems.append(FieldError(rule, "It is named twice.", "Keep one of them."))
        else:
            found[rule] = value
    refuse(problems)
    return cast("Rules", found)  # the client says which rules there are


def names(text: str | None) -> tuple[str, ...]:
    """Return the rules of a list with commas."""
    return tuple(part.strip() for part in (text or "").split(",") if part.strip())
