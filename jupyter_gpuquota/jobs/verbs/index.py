"""`index`: what a cache holds."""

from __future__ import annotations

import argparse

from .. import caches
from ..job import Job


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this verb."""
    caches.add_arguments(parser)


async def run(job: Job, args: argparse.Namespace) -> None:
    """Report what the cache holds. Raises StorageFailed."""
    await caches.tell(job, args, await caches.need(job, args))
