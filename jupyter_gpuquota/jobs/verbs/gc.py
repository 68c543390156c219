"""`gc`: what no version of a lake needs is removed."""

from __future__ import annotations

import argparse
from datetime import timedelta

from ...store.cache import index
from ...store.lake import layout
from ...store.lake.collect import GRACE, collect
from ...store.lake.history import History
from ...store.progress import Progress
from ...store.tasks import in_thread
from .. import caches, lakes
from ..job import Job


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this verb."""
    lakes.add_arguments(parser)
    caches.add_arguments(parser)
    parser.add_argument(
        "--grace",
        type=int,
        default=int(GRACE.total_seconds()),
        help="seconds for which objects stay that no version needs",
    )
    parser.add_argument("--keep", nargs="*", default=(), help="ids of versions to keep besides")


async def run(job: Job, args: argparse.Namespace) -> None:
    """Remove objects that no commit, no cached version and no pin needs. Raises GpuQuotaError.

    Commits that cannot be read are told at the end, as an error: what they may need has stayed.
    """
    objects = lakes.opened(await lakes.find(job, args, ""))
    root = await caches.find(job, args)
    held = await in_thread(index.needed, root) if root else set()
    there = {layout.version_of(each.key) async for each in objects.list(layout.MANIFESTS)}
    kept = {*args.keep, *held} & there  # others are in other lakes
    history = History(objects, conditional=True)  # only read
    gone = await collect(objects, history, kept, timedelta(seconds=args.grace))
    job.progress(
        Progress(files=gone.objects, all_files=gone.objects, bytes=gone.bytes, all_bytes=gone.bytes)
    )
    if history.damaged:
        hint = "What they may need has stayed. Remove these objects, or restore them from a copy."
        raise job.damaged(sorted(history.damaged), "the lake", hint)
