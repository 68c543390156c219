"""`project default`: the project that is used where none is named."""

from __future__ import annotations

from ....client import Client, preferences
from ....errors import FieldError, InvalidRequest, refused
from ...arguments import offer, own_projects
from ...command import Args, Command
from ...console import Console
from ...parser import Parser
from ...views.texts import TextView


def _fill(parser: Parser) -> None:
    name = parser.add_argument(
        "team", nargs="?", metavar="NAME", help="one of your projects (default: show the current)"
    )
    offer(name, own_projects)
    parser.add_argument("--unset", action="store_true", help="have no default project")


def _default(client: Client, args: Args, _console: Console) -> TextView:
    if args.unset and args.team:
        raise InvalidRequest("--unset takes no project.", hint="Use either NAME or --unset.")
    if args.unset:
        preferences.set_project("")
    elif args.team is not None:
        mine = client.quota.get().mine
        if args.team not in mine:
            hint = f"Your projects: {', '.join(mine)}."
            raise refused(FieldError("project", f"No access to project {args.team!r}.", hint))
        preferences.set_project(args.team)
    preferred = preferences.project()
    return TextView({"project": preferred}, f"Default project: {preferred or 'none'}.")


ACTIONS = (
    Command(
        "default",
        "show or set your default project",
        _default,
        _fill,
        notes="It is used wherever no project is named, in notebooks and shells.",
        examples=("project default team-a", "project default", "project default --unset"),
    ),
)
