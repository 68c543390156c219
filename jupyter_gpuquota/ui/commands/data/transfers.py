"""`data sync`, `export`, `import`, `verify`."""

from __future__ import annotations

from typing import Any

from ....client import Client
from ....model.datasets.jobs import Job
from ....model.datasets.names import shown_path
from ....model.datasets.versions import Version
from ...arguments import add_exclude, offer_paths
from ...command import Args, Command
from ...console import Console
from ...parser import Parser
from ...views.data.formats import count_text, short, size_text
from ...views.data.jobs import JobView, VerifiedView
from ...views.data.versions import IdView, VersionView
from ...views.view import View
from .arguments import add_dataset, add_detach, add_version, following


def _fill_new(parser: Parser) -> None:
    parser.add_argument("-m", "--message", default="", metavar="TEXT", help="what has changed")
    parser.add_argument("--tag", default="", help="give the version this name")
    add_detach(parser)
    parser.add_argument(
        "-q", "--quiet", action="store_true", help="no progress; print only the version's id"
    )


def _fill_sync(parser: Parser) -> None:
    add_dataset(parser)
    offer_paths(parser.add_argument("folder", metavar="FOLDER", help="the folder to store"))
    add_exclude(parser)
    _fill_new(parser)


def _fill_import(parser: Parser) -> None:
    add_dataset(parser)
    parser.add_argument("url", metavar="URL", help="a prefix, such as s3://bucket/prefix")
    _fill_new(parser)


def _fill_export(parser: Parser) -> None:
    add_version(parser)
    folder = parser.add_argument(
        "folder", metavar="FOLDER", help="an empty folder, or one to create"
    )
    offer_paths(folder)
    add_detach(parser)


def _fill_verify(parser: Parser) -> None:
    add_version(parser)
    only = parser.add_mutually_exclusive_group()
    only.add_argument("--lake", action="store_true", help="only its objects in the lake")
    only.add_argument("--cache", action="store_true", help="only its cached copy")


def _sync(client: Client, args: Args, console: Console) -> View[Any]:
    verb = client.datasets.sync
    given = {"message": args.message, "tag": args.tag, "exclude": args.exclude}
    if args.detach:
        return JobView(verb(args.name, args.folder, wait=False, **given), alone=True)
    with following(console, quiet=args.quiet) as show:
        version = verb(args.name, args.folder, progress=show, **given)
    return _made(version, args)


def _import(client: Client, args: Args, console: Console) -> View[Any]:
    verb = client.datasets.import_
    given = {"message": args.message, "tag": args.tag}
    if args.detach:
        return JobView(verb(args.name, args.url, wait=False, **given), alone=True)
    with following(console, quiet=args.quiet) as show:
        job = verb(args.name, args.url, progress=show, **given)
    return _made(client.datasets.show(f"{job.dataset}@{job.version}"), args)


def _made(version: Version, args: Args) -> VersionView:
    """Return the view of a version that has been made, or was there already."""
    if args.quiet:
        return IdView(version)
    what = f"{count_text(version.files, 'file')}, {size_text(version.size)}"
    tags = f" ({', '.join(version.tags)})" if version.tags else ""
    note = f"{version.dataset}@{short(version.id)}{tags} has {what}."
    return VersionView(version, note=note)


def _export(client: Client, args: Args, console: Console) -> JobView:
    verb = client.datasets.export
    if args.detach:
        return JobView(verb(args.name, args.folder, wait=False), alone=True)
    with following(console) as show:
        job = verb(args.name, args.folder, progress=show)
    return JobView(job, note=_exported(job, args.folder))


def _exported(job: Job, folder: str) -> str:
    what = f"{count_text(job.files, 'file')}, {size_text(job.done)}" if job.files else "all files"
    return f"{job.dataset}@{short(job.version)}: wrote {what} to {shown_path(folder)}."


def _verify(client: Client, args: Args, console: Console) -> VerifiedView:
    with following(console) as show:
        job = client.datasets.verify(
            args.name, lake=not args.cache, cache=not args.lake, progress=show
        )
    return VerifiedView(job, f"{job.dataset}@{short(job.version)}")


COMMANDS = (
    Command(
        "sync",
        "store a folder as the next version of a dataset",
        _sync,
        _fill_sync,
        notes="Only what is new is sent; a sync that was killed goes on where it was. Every file "
        "counts, hidden ones too, but what patterns leave out: those in .gpuquotaignore, and "
        "--exclude. It runs in a process of its own at low priority: Ctrl-C cancels "
        "it, --detach leaves it alone.",
        examples=(
            "data sync digits ./digits -m 'more cats' --tag v2",
            "data sync digits ./digits --exclude '*.tmp' --exclude /raw/",
            "data sync digits ./digits --quiet",
        ),
    ),
    Command(
        "export",
        "write the files of a version to a folder",
        _export,
        _fill_export,
        examples=("data export digits@v1 ./copy",),
    ),
    Command(
        "import",
        "store a prefix of a bucket as the next version of a dataset",
        _import,
        _fill_import,
        examples=("data import digits s3://team-a/digits",),
    ),
    Command(
        "verify",
        "hash a version again, in the lake and in the cache",
        _verify,
        _fill_verify,
        notes="The exit code is 1 if something is damaged; its paths are printed.",
        examples=("data verify digits@v1", "data verify digits@v1 --cache"),
    ),
)
