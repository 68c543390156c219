"""`data versions`, `tag`, `untag`."""

from __future__ import annotations

from ....client import Client
from ....model.datasets.names import parse_name
from ...command import Args, Command
from ...console import Console
from ...parser import Parser
from ...views.data.formats import short
from ...views.data.versions import VersionsView, VersionView
from ...views.texts import TextView
from .arguments import add_dataset, add_version


def _fill_tag(parser: Parser) -> None:
    add_version(parser)
    parser.add_argument("tag", metavar="TAG", help="letters, digits, '.', '_' and '-'")


def _fill_untag(parser: Parser) -> None:
    add_dataset(parser)
    parser.add_argument("tag", metavar="TAG", help="the tag to remove")


def _versions(client: Client, args: Args, _console: Console) -> VersionsView:
    return VersionsView(client.datasets.versions(args.name).document, parse_name(args.name).dataset)


def _tag(client: Client, args: Args, _console: Console) -> VersionView:
    tagged = client.datasets.tag(args.name, args.tag)
    return VersionView(tagged, note=f"{args.tag} is {tagged.dataset}@{short(tagged.id)}.")


def _untag(client: Client, args: Args, _console: Console) -> TextView:
    client.datasets.untag(args.name, args.tag)
    values = {"dataset": args.name, "tag": args.tag}
    return TextView(values, f"Removed the tag {args.tag} of {args.name}.")


COMMANDS = (
    Command(
        "versions",
        "list the versions of a dataset, newest first",
        _versions,
        add_dataset,
        examples=("data versions digits",),
    ),
    Command(
        "tag",
        "give a version a name, or move that name to it",
        _tag,
        _fill_tag,
        examples=("data tag digits@latest v2", "data tag digits@3fa9 best"),
    ),
    Command("untag", "remove a tag", _untag, _fill_untag, examples=("data untag digits best",)),
)
