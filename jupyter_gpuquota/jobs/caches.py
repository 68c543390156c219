"""The cache that a job's arguments name."""

from __future__ import annotations

import argparse
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from ..core.datasets import eviction
from ..model.datasets.lines import CacheIndex
from ..store.cache import failures, index, places
from ..store.tasks import in_thread
from .job import Job


class Copy(NamedTuple):
    """The copy of a version in a cache."""

    dataset: str
    version: str


def add_arguments(parser: argparse.ArgumentParser, *, required: bool = True) -> None:
    """Add the arguments that name a cache."""
    parser.add_argument("--cache", type=Path, required=required, help="the root of the cache")
    parser.add_argument(
        "--capacity", type=int, default=0, help="its bytes; by default those of its file system"
    )


def add_version(parser: argparse.ArgumentParser) -> None:
    """Add the argument that names a version."""
    parser.add_argument("copy", type=copy, metavar="NAME@ID", help="a dataset and a full id")


def copy(text: str) -> Copy:
    """Return the version that an argument names."""
    dataset, _, version = text.rpartition("@")
    return Copy(dataset, version)


def place(args: argparse.Namespace, named: Copy) -> places.Place:
    """Return the place of a version in the cache. Raises InvalidFields."""
    return places.place(args.cache, named.dataset, named.version)


async def tell(job: Job, args: argparse.Namespace) -> None:
    """Report what the cache holds now. Raises StorageFailed."""
    found = await in_thread(_index, args)
    await job.tell(job.reporter.index, found)


def _index(args: argparse.Namespace) -> CacheIndex:
    items = index.read(args.cache)
    capacity = args.capacity or failures.total(args.cache)
    room = eviction.room(items, capacity, failures.free(args.cache), datetime.now(UTC))
    return CacheIndex(items=tuple(items), room=room)
