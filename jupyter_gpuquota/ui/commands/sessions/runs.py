"""`runs`: what MLflow has recorded of a session."""

from __future__ import annotations

from ....client import Client
from ...arguments import add_project, offer, session_names
from ...command import Args, Command
from ...console import Console
from ...parser import Parser
from ...views.runs import RunsView


def _fill(parser: Parser) -> None:
    session = parser.add_argument("name", nargs="?", default="", metavar="NAME")
    offer(session, session_names())
    add_project(parser)


def _runs(client: Client, args: Args, _console: Console) -> RunsView:
    return RunsView(client.runs(args.name, project=args.project).document)


COMMANDS = (
    Command(
        "runs",
        "list the runs of a session in MLflow",
        _runs,
        _fill,
        notes="They are read from MLFLOW_TRACKING_URI of the session, a server or an SQLite file, "
        "else from mlflow.db in its folder. Without NAME: of the session in which it runs.",
        examples=("runs exp1",),
        section="Sessions",
    ),
)
