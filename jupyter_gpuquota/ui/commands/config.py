"""`config`: personal preferences."""

from __future__ import annotations

from ...client import Client, preferences
from ...errors import FieldError, InvalidRequest, refused
from ..arguments import offer, own_projects
from ..command import Args, Command
from ..console import Console
from ..parser import Parser
from ..views.texts import TextView


def _fill(parser: Parser) -> None:
    parser.add_argument("setting", choices=("project",), help="the preference")
    value = parser.add_argument(
        "value", nargs="?", metavar="NAME", help="new value (default: show the current one)"
    )
    offer(value, own_projects)
    parser.add_argument("--unset", action="store_true", help="remove the preference")


def _config(client: Client, args: Args, _console: Console) -> TextView:
    if args.unset and args.value:
        raise InvalidRequest("--unset takes no project.", hint="Use either NAME or --unset.")
    if args.unset:
        preferences.set_project("")
    elif args.value is not None:
        mine = client.quota.get().mine
        if args.value not in mine:
            hint = f"Your projects: {', '.join(mine)}."
            raise refused(FieldError("project", f"No access to project {args.value!r}.", hint))
        preferences.set_project(args.value)
    preferred = preferences.project()
    text = f"Preferred project: {preferred or 'none'}."
    return TextView({"project": preferred}, text)


COMMANDS = (
    Command(
        "config",
        "show or set preferences",
        _config,
        _fill,
        notes="The preferred project is used wherever none is named, in notebooks and shells.",
        examples=("config project team-a", "config project", "config project --unset"),
    ),
)
