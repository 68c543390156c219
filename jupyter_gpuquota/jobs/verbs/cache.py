"""`cache`: a version is fetched into a cache."""

from __future__ import annotations

import argparse

from ...store.cache import sweep
from ...store.cache.fetch import fetch
from ...store.cache.places import place
from ...store.tasks import in_thread
from .. import caches, lakes
from ..job import Job


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this verb."""
    lakes.add_arguments(parser)
    caches.add_arguments(parser)
    caches.add_version(parser)


async def run(job: Job, args: argparse.Namespace) -> None:
    """Fetch the version unless it is there. Raises GpuQuotaError."""
    root = await caches.need(job, args)
    there = place(root, *args.copy)
    objects = lakes.opened(await lakes.find(job, args, args.copy.dataset))
    await in_thread(sweep.sweep, root)
    await fetch(there, objects, job.progress, job.id)
    await caches.tell(job, args, root)
