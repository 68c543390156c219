"""`history`: how GPUs were used."""

from __future__ import annotations

from typing import Any, get_args

from ...client import Client
from ...errors import InvalidRequest
from ...model.history import By
from ..arguments import add_project, whole_number
from ..command import Args, Command
from ..console import Console
from ..parser import Parser
from ..views.history import HistoryView
from ..views.texts import TextView
from ..views.view import View


def _fill(parser: Parser) -> None:
    add_project(parser)
    parser.add_argument(
        "--hours", type=whole_number, default=24, metavar="N", help="how far back (default: 24)"
    )
    parser.add_argument(
        "--points",
        type=whole_number,
        default=25,
        metavar="N",
        help="maximum number of time steps, 2 to 2000 (default: 25)",
    )
    parser.add_argument(
        "--by",
        choices=get_args(By),
        default="project",
        help="one row per project, or per user and project (default: project)",
    )
    parser.add_argument("--user", default="", help="only this user")
    parser.add_argument("--csv", action="store_true", help="print comma-separated values")


def _history(client: Client, args: Args, console: Console) -> View[Any]:
    if args.csv and console.shell and args.json:
        raise InvalidRequest("--csv and --json cannot be combined.", hint="Use one of them.")
    history = client.history(
        project=args.project,
        hours=args.hours,
        points=args.points,
        by=args.by,
        user=args.user,
    )
    view = HistoryView(history.document)
    return TextView({"csv": view.csv}, view.csv.rstrip("\n")) if args.csv else view


COMMANDS = (
    Command(
        "history",
        "show GPU use over time by project or user",
        _history,
        _fill,
        notes="Each row is the mean of one time step; longer periods have longer steps. Times "
        "without running or queued sessions have no row. With --by user, a second table sums up "
        "GPU hours. Users are named to members of their project and to administrators.",
        examples=(
            "history",
            "history -p team-a --hours 168 --points 200",
            "history --by user --hours 720",
            "history --hours 2160 --csv",
        ),
        section="Resources",
    ),
)
