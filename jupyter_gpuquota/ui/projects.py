"""What `project` and `audit` do."""

from __future__ import annotations

from typing import Any

from ..client import Client
from ..errors import InvalidRequest, NotFound
from ..model.quota import Affinity
from .grammar import Args
from .grammar_project import check, names, settings
from .screen import Screen
from .views.base import View
from .views.projects import AuditView, ChangeView, ProjectsView, ProjectView


def project(client: Client, args: Args, screen: Screen) -> View[Any]:
    """Show, set or delete projects."""
    check(args)
    if args.action == "list":
        return ProjectsView(client.projects.list())
    if args.action == "show":
        return ProjectView(client.projects.get(args.team))
    return _set(client, args) if args.action == "set" else _delete(client, args)


def audit(client: Client, args: Args, screen: Screen) -> View[Any]:
    """Show who changed what."""
    return AuditView(client.audit(limit=args.limit))


def _set(client: Client, args: Args) -> View[Any]:
    wanted = settings(args)
    if args.interactive_on is not None or args.train_on is not None:
        old = _affinity(client, args.team)
        interactive, train = old.interactive, old.train
        if args.interactive_on is not None:
            interactive = names(args.interactive_on, "any")
        if args.train_on is not None:
            train = names(args.train_on, "any")
        wanted["node_affinity"] = {"interactive": interactive, "train": train}
    if not wanted:
        raise InvalidRequest("There is nothing to set.", hint="See `help project`.")
    if args.dry_run:
        return ChangeView(client.projects.preview(args.team, **wanted))
    answer = client.projects.put(args.team, **wanted)
    return ProjectView(answer.project, answer=answer)


def _delete(client: Client, args: Args) -> View[Any]:
    if args.dry_run:
        return ChangeView(client.projects.preview(args.team, deleted=True))
    answer = client.projects.delete(args.team, drain=bool(args.drain))
    if answer.project is None:
        said = f"{args.team} is deleted."
    else:
        waits = ", ".join(answer.sessions)
        said = f"{args.team} starts nothing any more, and goes when these have ended: {waits}."
    return ProjectView(answer.project, note=said, answer=answer)


def _affinity(client: Client, name: str) -> Affinity:
    try:
        return client.projects.get(name).node_affinity
    except NotFound:
        return Affinity()
