"""`export`: a version is written to a new folder."""

from __future__ import annotations

import argparse
from pathlib import Path

from ...store.cache.export import export
from ...store.cache.places import place
from .. import caches, lakes
from ..job import Job


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this verb."""
    lakes.add_arguments(parser)
    caches.add_arguments(parser)
    caches.add_version(parser)
    parser.add_argument("folder", help="the folder to make")


async def run(job: Job, args: argparse.Namespace) -> None:
    """Write the version, from the cache where it is, else from the lake. Raises GpuQuotaError."""
    copy: caches.Copy = args.copy
    root = await caches.find(job, args)
    there = place(root, *copy) if root else None
    if there and there.is_cached:
        objects = await lakes.if_possible(job, args, copy.dataset)
    else:
        objects = lakes.opened(await lakes.find(job, args, copy.dataset))
    await export(copy.version, Path(args.folder), objects, there, job.progress)
