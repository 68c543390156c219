"""The options of a request with several places."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ....client import Client
from ....client.sessions import Wishes
from ...arguments import offer, template_names
from ...command import Args
from ...parser import Parser


def fill(parser: Parser) -> None:
    """Add the options."""
    group = parser.add_argument_group("places (where there are several clusters)")
    places = group.add_argument(
        "--on",
        default="",
        metavar="A,B",
        help="clusters or templates, in the order in which they are tried",
    )
    offer(places, _places)
    group.add_argument(
        "--on-wait",
        default="",
        metavar="T",
        help="how long each but the last is waited for: 10m (default: as administrators set it)",
    )


def read(args: Args) -> Wishes:
    """Return what the options say; nothing where none was given."""
    wishes: Wishes = {}
    if args.on:
        wishes["on"] = [name.strip() for name in args.on.split(",")]
    if args.on_wait:
        wishes["on_wait"] = args.on_wait
    return wishes


def _places(client: Client, words: Sequence[str]) -> Iterable[str]:
    yield from client.about().clusters
    yield from template_names(client, words)
