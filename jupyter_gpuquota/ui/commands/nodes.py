"""`nodes`: nodes, their GPUs, and who uses them."""

from __future__ import annotations

from typing import Any

from ...client import Client
from ...errors import InvalidRequest
from ..arguments import add_project
from ..command import Args, Command
from ..console import Console
from ..parser import Parser
from ..views.nodes import NodesView
from ..views.top import TopView
from ..views.view import View


def _fill(parser: Parser) -> None:
    parser.add_argument(
        "--sessions", action="store_true", help="a row for each session, largest share first"
    )
    add_project(parser)


def _show(client: Client, args: Args, _console: Console) -> View[Any]:
    nodes = client.nodes.list().document
    if not args.sessions:
        if args.project:
            raise InvalidRequest("--project needs --sessions.", hint="Nodes belong to no project.")
        return NodesView(nodes)
    undivided = client.quota.get().document.undivided
    return TopView(nodes, project=args.project, undivided=undivided)


COMMANDS = (
    Command(
        "nodes",
        "show nodes and their GPUs, or the sessions on them",
        _show,
        _fill,
        examples=("nodes", "nodes --sessions -p team-a"),
        section="Resources",
    ),
)
