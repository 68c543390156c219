"""Arguments that several commands take, and what completion offers for them."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Sequence
from typing import cast

from ..client import Client
from ..hosting.backends import installed
from ..model.sessions import Action
from .parser import Parser

Offer = Callable[[Client, Sequence[str]], Iterable[str]] | Sequence[str]
"""Words that may stand for an argument: fixed ones, or read by a client.

The second parameter are the words given for the argument so far.
"""

OfferByBeginning = Callable[[Client, str], Iterable[str]]
"""Words that may stand for an argument that begins so."""


def offer(argument: argparse.Action, words: Offer) -> None:
    """Let completion offer words for an argument."""
    argument.__dict__["offer"] = words


def offer_by_beginning(argument: argparse.Action, words: OfferByBeginning) -> None:
    """Let completion offer words by what has been typed of the argument."""
    argument.__dict__["offer_by_beginning"] = words


def offers_by_beginning(argument: argparse.Action) -> bool:
    """Return whether completion needs to know what has been typed of an argument."""
    return "offer_by_beginning" in argument.__dict__


def offered(argument: argparse.Action, client: Client, beginning: str) -> Iterable[str]:
    """Return what completion offers by the beginning of an argument."""
    words = cast("OfferByBeginning | None", argument.__dict__.get("offer_by_beginning"))
    return words(client, beginning) if words else ()


def offer_paths(argument: argparse.Action) -> None:
    """Let completion of the shell offer files and folders for an argument."""
    argument.__dict__["offer_paths"] = True


def offers_paths(argument: argparse.Action) -> bool:
    """Return whether an argument is a path of this machine."""
    return "offer_paths" in argument.__dict__


def offer_of(argument: argparse.Action) -> Offer:
    """Return what completion offers for an argument."""
    choices = tuple(map(str, argument.choices or ()))
    return cast("Offer", argument.__dict__.get("offer", choices))


def add_backend(parser: Parser, default: str = "") -> None:
    """Add the option that chooses a backend."""
    option = parser.add_argument(
        "--backend",
        default=default,
        metavar="NAME",
        help="where sessions run (default: as configured, or local)",
    )
    offer(option, lambda _client, _words: sorted(installed()))


def add_session(parser: Parser) -> None:
    """Add the name of one session, and where to look for it."""
    name = parser.add_argument("name", metavar="NAME", help="name, id or project/name")
    offer(name, session_names())
    add_project(parser)


def add_sessions(parser: Parser, can: Action | None = None) -> None:
    """Add the names of sessions; completion offers those that `can` be acted on so."""
    names = parser.add_argument("names", nargs="+", metavar="NAME", help="name, id or project/name")
    offer(names, session_names(can))
    add_project(parser)


def add_project(parser: Parser) -> None:
    """Add the project to look in."""
    option = parser.add_argument("-p", "--project", default="", help="only in this project")
    offer(option, own_projects)


def add_dry_run(parser: Parser) -> None:
    """Add the option that changes nothing."""
    parser.add_argument("--dry-run", action="store_true", help="only show what would happen")


def add_exclude(parser: Parser) -> None:
    """Add patterns of what is not stored."""
    parser.add_argument(
        "--exclude",
        action="append",
        default=[],
        metavar="PATTERN",
        help="leave out what matches, as in .gitignore; may be repeated",
    )


def add_wait(parser: Parser, *, default: bool) -> None:
    """Add the option to wait for the effect."""
    parser.add_argument(
        "--wait",
        action=argparse.BooleanOptionalAction,
        default=default,
        help=f"wait until it is done, and show progress (default: {'yes' if default else 'no'})",
    )


def add_share(group: argparse._ArgumentGroup) -> None:
    """Add the options that describe a share of GPUs."""
    group.add_argument("-g", "--gpu", default="", help="0.5 for half a GPU, or 1, 2, … GPUs")
    group.add_argument(
        "--gpu-memory", default="", metavar="MEM", help="memory of one GPU: 8Gi, or MiB"
    )
    group.add_argument(
        "--gpu-compute",
        default="",
        metavar="PERCENT",
        help="compute limit: 5 to 100 in steps of 5, with --gpu or --gpu-memory",
    )
    group.add_argument("--mig-profile", default="", metavar="PROFILE", help="for example 1g.10gb")


def whole_number(text: str) -> int:
    """Return a number of at most 9 digits. Raises ArgumentTypeError."""
    if not text.isascii() or not text.isdecimal() or len(text) > 9:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number")
    return int(text)


def session_names(can: Action | None = None) -> Offer:
    """Return an offer of sessions; with `can`, of those that allow the action."""

    def names(client: Client, _words: Sequence[str]) -> Iterable[str]:
        return (s.spec.name for s in client.sessions.list() if can is None or can in s.actions)

    return names


def own_projects(client: Client, _words: Sequence[str]) -> Iterable[str]:
    """Name the projects that the caller may launch in."""
    return client.quota.get().document.mine


def template_names(client: Client, _words: Sequence[str]) -> Iterable[str]:
    """Name the templates that the caller may launch."""
    return (template.name for template in client.templates.list())
