"""`evict`: versions are removed from a cache."""

from __future__ import annotations

import argparse
from datetime import UTC, datetime

from ...errors import GpuQuotaError
from ...store.cache import sweep
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
    errors = []
    for each in args.copies:
        try:
            await in_thread(sweep.evict, caches.place(args, each), datetime.now(UTC))
        except GpuQuotaError as error:
            errors.append(error)
    await in_thread(sweep.sweep, args.cache)
    await caches.tell(job, args)
    if errors:
        raise errors[0]
