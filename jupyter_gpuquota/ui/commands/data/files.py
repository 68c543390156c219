"""`data ls`, `diff`, `cat`."""

from __future__ import annotations

from ....client import Client
from ...arguments import whole_number
from ...command import Args, Command
from ...console import Console
from ...parser import Parser
from ...views.data.files import DiffView, FilesView, file_lines
from .arguments import add_path, add_version

NOTEBOOK_ENTRIES = 200
"""Entries that a notebook shows by default."""


def _fill_ls(parser: Parser) -> None:
    add_path(parser, "NAME@REF[:PATH]")
    parser.add_argument("--match", default="", metavar="TEXT", help="only names that contain it")
    parser.add_argument("--deep", action="store_true", help="all files below the folder")
    parser.add_argument(
        "--limit",
        type=whole_number,
        metavar="N",
        help=f"at most N entries (default: all; in a notebook {NOTEBOOK_ENTRIES}; 0: all)",
    )


def _fill_diff(parser: Parser) -> None:
    add_version(parser)
    add_version(parser, "other")


def _ls(client: Client, args: Args, console: Console) -> FilesView | None:
    """List a folder; a shell shows each page as soon as it is there."""
    default = 0 if console.shell else NOTEBOOK_ENTRIES
    limit = default if args.limit is None else args.limit
    options = {"match": args.match, "deep": args.deep, "limit": limit}
    if not console.shell or args.json:
        return FilesView(client.datasets.files(args.name, **options).document)
    shown = 0
    for page in client.datasets.file_pages(args.name, **options):
        console.write("".join(f"{line}\n" for line in file_lines(page.items)))
        shown += len(page.items)
    if not page.total:
        console.note("No files.")
    if shown < page.total:
        console.note(f"… and {page.total - shown:,} more: --limit 0 lists all.")
    return None


def _diff(client: Client, args: Args, _console: Console) -> DiffView:
    return DiffView(client.datasets.diff(args.name, args.other).document)


def _cat(client: Client, args: Args, console: Console) -> None:
    for piece in client.datasets.cat(args.name):
        console.write_bytes(piece)


COMMANDS = (
    Command(
        "ls",
        "list a folder of a version",
        _ls,
        _fill_ls,
        notes="Characters that a terminal would not print are shown as in C: \\n, \\xe9. "
        "--json has the names as they are.",
        examples=("data ls digits@v1", "data ls digits@v1:train --match cat --deep"),
    ),
    Command(
        "diff",
        "show which files differ between two versions",
        _diff,
        _fill_diff,
        examples=("data diff digits@v1 digits@latest",),
    ),
    Command(
        "cat",
        "print a file of a version, unchanged",
        _cat,
        lambda parser: add_path(parser, "NAME@REF:PATH"),
        examples=("data cat digits@v1:labels.csv",),
        prints_json=False,
    ),
)
