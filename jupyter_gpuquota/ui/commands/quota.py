"""`quota`: projects and what they use."""

from __future__ import annotations

from typing import Any, get_args

from ...client import Client
from ...errors import InvalidRequest
from ...model.volumes.storage import StorageBy
from ..arguments import add_project
from ..command import Args, Command
from ..console import Console
from ..parser import Parser
from ..views.quota import QuotaView
from ..views.storage import StorageView
from ..views.view import View


def _fill(parser: Parser) -> None:
    add_project(parser)
    parser.add_argument(
        "--storage",
        action="store_true",
        help="instead of GPUs, what datasets, snapshots and volumes take",
    )
    parser.add_argument(
        "--by",
        choices=get_args(StorageBy),
        help="with --storage: one row per project and kind, or for each owner, too",
    )


def _show(client: Client, args: Args, _console: Console) -> View[Any]:
    if args.storage:
        by: StorageBy = args.by or "project"
        return StorageView(client.storage(project=args.project, by=by).document)
    if args.by:
        raise InvalidRequest("--by needs --storage.", hint="For GPUs, see `history --by user`.")
    found = client.quota.get().document
    return QuotaView(found, project=args.project, warnings=client.about().warnings)


COMMANDS = (
    Command(
        "quota",
        "show projects and their use of GPUs, or of storage",
        _show,
        _fill,
        notes="Of storage, SIZE adds up all items, each for itself, and what was requested for "
        "volumes. STORED is what they take: contents that several have in common count once.",
        examples=("quota", "quota -p team-a", "quota --storage --by user"),
        section="Resources",
    ),
)
