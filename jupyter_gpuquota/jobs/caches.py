"""The cache that a job's arguments name."""

from __future__ import annotations

import argparse
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from ..core.datasets import eviction
from ..errors import Unsupported
from ..model.datasets.lines import CacheIndex
from ..store.cache import index
from ..store.disk import failures
from ..store.tasks import in_thread
from .job import Job


class Copy(NamedTuple):
    """The copy of a version in a cache."""

    dataset: str
    version: str


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that name a cache."""
    parser.add_argument(
        "--cache", type=Path, help="the root of the cache; by default the controller's"
    )
    parser.add_argument(
        "--capacity", type=int, default=0, help="its bytes; by default those of its file system"
    )


async def find(job: Job, args: argparse.Namespace) -> Path | None:
    """Return the root of the cache that is named, or the controller's; None if it has none here."""
    if args.cache:
        return Path(args.cache)
    folder = await job.tell(job.reporter.cache)
    return Path(folder) if folder else None


async def need(job: Job, args: argparse.Namespace) -> Path:
    """Return the root of the cache. Raises Unsupported if there is none on this machine."""
    root = await find(job, args)
    if root is None:
        raise Unsupported(
            "There is no cache on this machine.",
            hint="Use a lake of the administrators: their versions are cached elsewhere.",
        )
    return root


def add_version(parser: argparse.ArgumentParser) -> None:
    """Add the argument that names a version."""
    parser.add_argument("copy", type=copy, metavar="NAME@ID", help="a dataset and a full id")


def copy(text: str) -> Copy:
    """Return the version that an argument names."""
    dataset, _, version = text.rpartition("@")
    return Copy(dataset, version)


async def tell(job: Job, args: argparse.Namespace, root: Path) -> None:
    """Report what the cache holds now. Raises StorageFailed."""
    found = await in_thread(_index, root, args.capacity)
    await job.tell(job.reporter.index, found)


def _index(root: Path, capacity: int) -> CacheIndex:
    items = index.read(root)
    room = eviction.room(
        items, capacity or failures.total(root), failures.free(root), datetime.now(UTC)
    )
    return CacheIndex(items=tuple(items), room=room)
