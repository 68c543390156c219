"""`export`: a version is written to a new folder."""

from __future__ import annotations

import argparse
from pathlib import Path

from ...store.cache.export import export
from .. import caches, lakes
from ..job import Job


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this verb."""
    lakes.add_arguments(parser, required=False)
    caches.add_arguments(parser, required=False)
    caches.add_version(parser)
    parser.add_argument("folder", help="the folder to make")


async def run(job: Job, args: argparse.Namespace) -> None:
    """Write the version, from the cache where it is, else from the lake. Raises GpuQuotaError."""
    objects = lakes.opened(args) if args.lake else None
    place = caches.place(args, args.copy) if args.cache else None
    await export(args.copy.version, Path(args.folder), objects, place, job.progress)
