"""`environments`: what sessions can start from."""

from __future__ import annotations

from ...client import Client
from ..arguments import offer, own_projects
from ..command import Args, Command
from ..console import Console
from ..parser import Parser
from ..views.environments import EnvironmentsView


def _fill(parser: Parser) -> None:
    project = parser.add_argument(
        "-p", "--project", default="", help="of the cluster of this project (default: the first)"
    )
    offer(project, own_projects)


def _show(client: Client, args: Args, _console: Console) -> EnvironmentsView:
    return EnvironmentsView(client.environments.list(project=args.project).document)


COMMANDS = (
    Command("environments", "show environments for sessions", _show, _fill, section="Resources"),
)
