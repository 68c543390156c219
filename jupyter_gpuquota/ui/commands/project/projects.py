"""`project list`, `show`, `set`, `delete`, `default`: projects and their settings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, cast

from ....client import Client, preferences
from ....client.projects import Settings
from ....errors import FieldError, InvalidRequest, NotFound, refused
from ....model.quota import Affinity
from ...arguments import add_dry_run, offer, own_projects
from ...command import Args, Command
from ...console import Console
from ...parser import Parser
from ...views.projects import ChangeView, ProjectsView, ProjectView
from ...views.texts import TextView
from ...views.view import View

_PEOPLE = {"members": "all", "leads": "none", "viewers": "none"}
"""Lists of accounts and groups, and the word for an empty one."""

_OPTIONS = (
    (("-q", "--quota"), "N", "guaranteed GPUs"),
    (("--weight",), "N", "share of spare GPUs; 0: never borrows, 'quota': same as the quota"),
    (("--limit",), "N", "maximum GPUs in use; 'none': no limit"),
    (("--members",), "A,B", "accounts and group:NAMEs that can launch; 'all': everyone"),
    (("--leads",), "A,B", "who can stop, suspend and extend sessions; 'none'"),
    (("--viewers",), "A,B", "who can see sessions without launching; 'none'"),
    (("--interactive-on",), "G,H", "node groups for interactive sessions; 'any'"),
    (("--train-on",), "G,H", "node groups for trainings; 'any'"),
    (("--interactive-duration",), "T", "maximum interactive run time: 8h, 90m; 0: no limit"),
    (("--min-runtime",), "T", "run time before a session can be preempted: 10m"),
)


def _fill_name(parser: Parser) -> None:
    offer(parser.add_argument("team", metavar="NAME", help="the project"), _names)


def _fill_set(parser: Parser) -> None:
    _fill_name(parser)
    for flags, metavar, text in _OPTIONS:
        parser.add_argument(*flags, metavar=metavar, help=text)
    parser.add_argument("--priority", type=int, metavar="N", help="0 to 1000; higher borrows first")
    add_dry_run(parser)


def _fill_delete(parser: Parser) -> None:
    _fill_name(parser)
    parser.add_argument(
        "--drain", action="store_true", help="start nothing new, and delete once all sessions end"
    )


def _list(client: Client, _args: Args, _console: Console) -> ProjectsView:
    return ProjectsView(client.projects.list().document)


def _show(client: Client, args: Args, _console: Console) -> ProjectView:
    return ProjectView(client.projects.get(args.team))


def _set(client: Client, args: Args, _console: Console) -> View[Any]:
    settings = _settings(args)
    if args.interactive_on is not None or args.train_on is not None:
        old = _affinity(client, args.team)
        interactive, train = old.interactive, old.train
        if args.interactive_on is not None:
            interactive = _list_of(args.interactive_on, "any")
        if args.train_on is not None:
            train = _list_of(args.train_on, "any")
        settings["node_affinity"] = {"interactive": interactive, "train": train}
    if not settings:
        raise InvalidRequest("Nothing to set.", hint="See `help project set`.")
    if args.dry_run:
        return ChangeView(client.projects.preview(args.team, **settings))
    answer = client.projects.put(args.team, **settings)
    return ProjectView(answer.project, answer=answer)


def _delete(client: Client, args: Args, _console: Console) -> ProjectView:
    answer = client.projects.delete(args.team, drain=args.drain)
    if answer.project is None:
        note = f"Deleted {args.team}."
    else:
        left = ", ".join(answer.sessions)
        note = f"{args.team} is draining: it will be deleted when these sessions end: {left}."
    return ProjectView(answer.project, note=note, answer=answer)


def _fill_default(parser: Parser) -> None:
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


def _settings(args: Args) -> Settings:
    """Return what is set, without node affinity."""
    settings = Settings()
    if args.quota is not None:
        settings["quota"] = args.quota
    if args.weight is not None:
        settings["weight"] = None if args.weight == "quota" else args.weight
    if args.limit is not None:
        settings["limit"] = None if args.limit == "none" else args.limit
    if args.priority is not None:
        settings["priority"] = args.priority
    if args.interactive_duration is not None:
        settings["interactive_duration"] = args.interactive_duration
    if args.min_runtime is not None:
        settings["min_runtime"] = args.min_runtime
    given = {field: getattr(args, field) for field in _PEOPLE}
    people = {f: _list_of(text, _PEOPLE[f]) for f, text in given.items() if text is not None}
    return cast("Settings", {**settings, **people})


def _affinity(client: Client, name: str) -> Affinity:
    try:
        return client.projects.get(name).node_affinity
    except NotFound:
        return Affinity()


def _list_of(text: str, none: str) -> tuple[str, ...]:
    """Return the names of a comma-separated list; `none` stands for an empty one."""
    return () if text == none else tuple(part.strip() for part in text.split(","))


def _names(client: Client, _words: Sequence[str]) -> Iterable[str]:
    return (project.name for project in client.projects.list().items)


ACTIONS = (
    Command("list", "list projects", _list, examples=("project list",)),
    Command(
        "show",
        "show the settings of a project",
        _show,
        _fill_name,
        examples=("project show team-a",),
    ),
    Command(
        "set",
        "create a project or change its settings",
        _set,
        _fill_set,
        notes="Settings that are not named keep their values. A new project needs a quota.",
        examples=(
            "project set team-a --quota 4 --limit 8 --dry-run",
            "project set team-a --members ana,ben --interactive-duration 8h",
        ),
    ),
    Command(
        "delete",
        "delete a project",
        _delete,
        _fill_delete,
        examples=("project delete team-a --drain",),
    ),
    Command(
        "default",
        "show or set your default project",
        _default,
        _fill_default,
        notes="It is used wherever no project is named, in notebooks and shells.",
        examples=("project default team-a", "project default", "project default --unset"),
    ),
)
