"""`list` and `describe`."""

from __future__ import annotations

import argparse
from contextlib import suppress
from typing import Any, get_args

from ....client import Client
from ....errors import NotAllowed, NotFound, Unsupported
from ....model.sessions import State
from ...arguments import add_project, add_session
from ...command import Args, Command
from ...console import Console
from ...parser import Parser
from ...views.details import SessionView
from ...views.runs import RunsView
from ...views.sessions import SessionsView
from ...views.view import View

_STATES: tuple[str, ...] = get_args(State)


def _fill_list(parser: Parser) -> None:
    add_project(parser)
    parser.add_argument(
        "--state", type=_states, default="", help="only these states: running,queued"
    )
    parser.add_argument("--user", default="", help="only sessions of this user")


def _list(client: Client, args: Args, console: Console) -> SessionsView:
    sessions = client.sessions.list(project=args.project, state=args.state, owner=args.user)
    urls = client.sessions.urls(sessions) if console.shell else {}
    filtered = bool(args.project or args.state or args.user)
    undivided = client.quota.get().document.undivided
    return SessionsView(sessions.document, urls, filtered=filtered, undivided=undivided)


def _fill_describe(parser: Parser) -> None:
    add_session(parser)
    parser.add_argument("--runs", action="store_true", help="its runs in MLflow instead")


def _describe(client: Client, args: Args, _console: Console) -> View[Any]:
    """Show one session, without what the caller may not see."""
    if args.runs:
        return RunsView(client.runs(args.name, project=args.project).document)
    session = client.sessions.get(args.name, project=args.project)
    advice, policy = None, None
    if session.spec.share.wants_gpu:
        with suppress(NotAllowed, NotFound):  # it has gone on to another cluster meanwhile
            advice = client.sessions.advice(session.id)
    if "activity" in session.actions:
        with suppress(Unsupported, NotFound):
            policy = client.policy.explain(session.id)
    undivided = client.quota.get().document.undivided
    size = advice.message if advice else ""
    return SessionView(session, size=size, policy=policy, undivided=undivided)


def _states(text: str) -> str:
    words = [word.strip() for word in text.split(",") if word.strip()]
    states = ["waiting" if word == "queued" else word for word in words]
    for state in states:
        if state not in _STATES:
            known = ", ".join(("queued", *(each for each in _STATES if each != "waiting")))
            raise argparse.ArgumentTypeError(f"unknown state {state!r}; available: {known}")
    return ",".join(states)


COMMANDS = (
    Command(
        "list",
        "list sessions",
        _list,
        _fill_list,
        examples=("list", "list -p team-a --state running,queued"),
        section="Sessions",
    ),
    Command(
        "describe",
        "show the details of a session",
        _describe,
        _fill_describe,
        notes="Runs are read from MLFLOW_TRACKING_URI of the session, a server or an SQLite file, "
        "else from mlflow.db in its folder.",
        examples=("describe exp1", "describe team-a/exp1", "describe exp1 --runs"),
        section="Sessions",
    ),
)
