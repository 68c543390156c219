"""`project groups`: node groups."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ....client import Client
from ...arguments import offer
from ...command import Args, Command
from ...console import Console
from ...parser import Parser
from ...views.rules import GroupsView


def _fill_group(parser: Parser) -> None:
    group = parser.add_argument("group", metavar="NAME", help="the node group")
    offer(group, group_names)


def _fill_set(parser: Parser) -> None:
    _fill_group(parser)
    nodes = parser.add_argument("nodes", nargs="*", metavar="NODE", help="its nodes")
    offer(nodes, _node_names)
    parser.add_argument(
        "--separate",
        action="store_true",
        help="never mix compute shares and memory shares on one GPU",
    )


def _list(client: Client, _args: Args, _console: Console) -> GroupsView:
    return GroupsView(client.node_groups.list().document)


def _set(client: Client, args: Args, _console: Console) -> GroupsView:
    return GroupsView(
        client.node_groups.put(args.group, args.nodes, separate=args.separate).document
    )


def _delete(client: Client, args: Args, _console: Console) -> GroupsView:
    return GroupsView(client.node_groups.delete(args.group).document)


def group_names(client: Client, _words: Sequence[str]) -> Iterable[str]:
    """Name the node groups."""
    return (group.name for group in client.node_groups.list().items)


def _node_names(client: Client, _words: Sequence[str]) -> Iterable[str]:
    return (node.name for node in client.nodes.list().nodes)


ACTIONS = (
    Command(
        "groups",
        "show or (admin) set node groups",
        actions=(
            Command("list", "list node groups", _list, examples=("project groups list",)),
            Command(
                "set",
                "create a node group or replace its nodes",
                _set,
                _fill_set,
                examples=(
                    "project groups set big dgx1-1 dgx1-2",
                    "project groups set shared dgx1-2 --separate",
                ),
            ),
            Command(
                "delete",
                "delete a node group",
                _delete,
                _fill_group,
                examples=("project groups delete shared",),
            ),
        ),
        default="list",
        notes="Projects choose their node groups with `project set --train-on`.",
        examples=("project groups", "project groups set big dgx1-1 dgx1-2"),
    ),
)
