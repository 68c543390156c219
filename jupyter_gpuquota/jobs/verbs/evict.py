"""`evict`: versions are removed from a cache."""

from __future__ import annotations

import argparse
from datetime import UTC, datetime

from ...errors import GpuQuotaError
from ...store.cache import sweep
from ...store.cache.places import place
from ...store.tasks import in_thread
from .. import caches
from ..job import Job


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this verb."""
    caches.add_arguments(parser)
    parser.add_argument(
        "copies", nargs="*", type=caches.copy, metavar="NAME@ID", help="what to remove"
    )


async def run(job: Job, args: argparse.Namespace) -> None:
    """Remove versions that are there and pinned by nobody. Raises the first error at the end."""
    root = await caches.need(job, args)
    errors = []
    for each in args.copies:
        try:
            await in_thread(sweep.evict, place(root, *each), datetime.now(UTC))
        except GpuQuotaError as error:
            errors.append(error)
    await in_thread(sweep.sweep, root)
    await caches.tell(job, args, root)
    if errors:
        raise errors[0]
