"""`storage`: how much storage projects use."""

from __future__ import annotations

from typing import get_args

from ...client import Client
from ...model.volumes.storage import StorageBy
from ..arguments import add_project
from ..command import Args, Command
from ..console import Console
from ..parser import Parser
from ..views.storage import StorageView


def _fill(parser: Parser) -> None:
    add_project(parser)
    parser.add_argument(
        "--by",
        choices=get_args(StorageBy),
        default="project",
        help="one row per project and kind, or for each owner, too (default: project)",
    )


def _show(client: Client, args: Args, _console: Console) -> StorageView:
    return StorageView(client.storage(project=args.project, by=args.by).document)


COMMANDS = (
    Command(
        "storage",
        "show how much storage projects use: datasets, snapshots and volumes",
        _show,
        _fill,
        section="Resources",
        notes="SIZE adds up all items, each for itself, and what was requested for volumes. STORED "
        "is what they take: contents that several have in common count once.",
        examples=("storage", "storage -p team-a --by user"),
    ),
)
