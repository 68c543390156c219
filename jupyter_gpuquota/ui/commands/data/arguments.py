"""Arguments of several commands on data, and their completion."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from ....client import Client
from ....client.data.jobs import Progress
from ....model.datasets.jobs import Job
from ....model.datasets.names import parse_name, received_path
from ....model.datasets.versions import LATEST, SHOWN
from ...arguments import offer, offer_by_beginning
from ...console import Console
from ...parser import Parser
from ...views.data.jobs import progress_text

_ENTRIES = 200
"""Entries of a folder that completion offers."""


@contextmanager
def following(console: Console, *, quiet: bool = False) -> Iterator[Progress]:
    """Yield what shows the progress of a job, until the block ends."""

    def show(job: Job) -> None:
        if not quiet:
            console.redraw(progress_text(job))

    try:
        yield show
    finally:
        console.redraw("")


def add_dataset(parser: Parser) -> None:
    """Add the name of a dataset."""
    offer(parser.add_argument("name", metavar="NAME", help="the dataset"), dataset_names)


def add_version(parser: Parser, name: str = "name") -> None:
    """Add the name of a version."""
    help_ = "the version: NAME@latest, NAME@TAG or NAME@ID"
    offer_by_beginning(parser.add_argument(name, metavar="NAME@REF", help=help_), versions)


def add_path(parser: Parser, metavar: str) -> None:
    """Add the name of a version, or of a path in it."""
    help_ = "a version, and a path in it"
    offer_by_beginning(parser.add_argument("name", metavar=metavar, help=help_), paths)


def add_detach(parser: Parser) -> None:
    """Add the option that does not wait."""
    parser.add_argument(
        "--detach", action="store_true", help="print the job's id, and do not wait for it"
    )


def names_list(text: str) -> list[str]:
    """Return the names of a comma-separated list; `none` is an empty one, `all` everyone."""
    if text == "none":
        return []
    names = [part.strip() for part in text.split(",") if part.strip()]
    return ["*" if name == "all" else name for name in names]


def dataset_names(client: Client, _words: Sequence[str]) -> Iterable[str]:
    """Name the datasets."""
    return (dataset.name for dataset in client.datasets.list())


def versions(client: Client, beginning: str) -> Iterator[str]:
    """Name versions that begin so: datasets first, then what follows the `@`."""
    dataset, at, _ = beginning.partition("@")
    if not at:
        yield from dataset_names(client, ())
        return
    for version in client.datasets.versions(dataset):
        yield from (f"{dataset}@{ref}" for ref in (*version.tags, version.id[:SHOWN]))
    yield f"{dataset}@{LATEST}"


def paths(client: Client, beginning: str) -> Iterator[str]:
    """Name versions and paths in them that begin so; folders end with a slash."""
    version, colon, path = beginning.partition(":")
    if not colon:
        yield from versions(client, beginning)
        return
    parse_name(version)
    folder = path.rpartition("/")[0]
    listed = client.datasets.files(f"{version}:{folder}", limit=_ENTRIES)
    for each in listed:
        found = received_path(each.path, raw=each.raw)
        if found.isprintable():
            yield f"{version}:{found}{'/' if each.kind == 'folder' else ''}"
