"""`data init`, `list`, `show`, `share`, `rm`."""

from __future__ import annotations

from typing import Any

from ....client import Client
from ....errors import InvalidRequest
from ....model.datasets.names import parse_name
from ...arguments import offer, own_projects
from ...command import Args, Command
from ...console import Console
from ...parser import Parser
from ...views.data.datasets import DatasetsView, DatasetView
from ...views.data.formats import count_text
from ...views.data.versions import VersionView
from ...views.texts import TextView
from ...views.view import View
from .arguments import add_dataset, add_version, following, names_list


def _fill_init(parser: Parser) -> None:
    parser.add_argument("name", metavar="NAME", help="lower-case letters, digits and hyphens")
    lake = parser.add_argument(
        "--lake", default="", help="a lake's name, or the URL of your own (default: the first one)"
    )
    offer(lake, lambda client, _words: (each.name for each in client.datasets.lakes()))
    _fill_rights(parser)


def _fill_share(parser: Parser) -> None:
    add_dataset(parser)
    _fill_rights(parser)


def _fill_rights(parser: Parser) -> None:
    project = parser.add_argument("-p", "--project", help="the project that owns it")
    offer(project, own_projects)
    parser.add_argument("--read", metavar="A,B", help="projects that may see and cache it; 'all'")
    parser.add_argument("--write", metavar="A,B", help="projects that may add versions; 'none'")
    parser.add_argument("--description", metavar="TEXT", help="what it contains")


def _init(client: Client, args: Args, console: Console) -> DatasetView:
    """Create a dataset, and read which versions its lake has if that is the caller's own."""
    made = client.datasets.init(
        args.name,
        lake=args.lake,
        project=args.project or "",
        description=args.description or "",
        read=names_list(args.read or ""),
        write=names_list(args.write or ""),
    )
    if made.own_lake:
        console.note(f"Created {made.name} in {made.project}. Reading its lake …")
        return _registered(client, made.name, console)
    note = f"Created {made.name} in {made.project}: jupyter gpu data sync {made.name} FOLDER."
    return DatasetView(made, note=note)


def _register(client: Client, args: Args, console: Console) -> DatasetView:
    return _registered(client, args.name, console)


def _registered(client: Client, name: str, console: Console) -> DatasetView:
    with following(console) as show:
        client.datasets.register(name, progress=show)
    found = client.datasets.get(name)
    return DatasetView(found, note=f"{name} has {count_text(found.versions, 'version')}.")


def _list(client: Client, _args: Args, _console: Console) -> DatasetsView:
    return DatasetsView(client.datasets.list().document)


def _show(client: Client, args: Args, _console: Console) -> View[Any]:
    if "@" in args.name:
        return VersionView(client.datasets.show(args.name))
    return DatasetView(client.datasets.get(args.name))


def _share(client: Client, args: Args, _console: Console) -> DatasetView:
    given = (args.read, args.write, args.project, args.description)
    if all(each is None for each in given):
        raise InvalidRequest("Nothing to change.", hint="See `help data share`.")
    changed = client.datasets.share(
        args.name,
        read=None if args.read is None else names_list(args.read),
        write=None if args.write is None else names_list(args.write),
        project=args.project,
        description=args.description,
    )
    return DatasetView(changed)


def _remove(client: Client, args: Args, _console: Console) -> TextView:
    client.datasets.remove(args.name)
    named = parse_name(args.name)
    what = "" if named.ref else " and all its versions"
    values = {"dataset": named.dataset, "version": named.ref}
    return TextView(values, f"Removed {named.text}{what}.")


COMMANDS = (
    Command(
        "init",
        "create a dataset",
        _init,
        _fill_init,
        notes="A lake is an object store: s3://bucket/prefix, gs://, az://, or a folder as "
        "file:///path. Credentials for your own come from your environment.",
        examples=("data init digits", "data init faces --lake s3://ours/lake --read team-b"),
    ),
    Command(
        "register",
        "list what others have added to a lake of your own",
        _register,
        add_dataset,
        notes="Only your own processes read such a lake.",
        examples=("data register faces",),
    ),
    Command("list", "list datasets", _list, examples=("data list",)),
    Command(
        "show",
        "show a dataset, or one of its versions",
        _show,
        add_version,
        examples=("data show digits", "data show digits@v1"),
    ),
    Command(
        "share",
        "change who may read and write a dataset",
        _share,
        _fill_share,
        notes="Lists replace what is there; 'none' empties them, 'all' is everyone.",
        examples=("data share digits --read team-b,team-c", "data share digits --read none"),
    ),
    Command(
        "rm",
        "remove a version, or a dataset with all its versions",
        _remove,
        add_version,
        notes="Refused while a session or a pin needs a version. `gc` frees its space in the lake.",
        examples=("data rm digits@v1", "data rm digits"),
    ),
)
