"""`verify`: a version is hashed again, in its lake and in a cache."""

from __future__ import annotations

import argparse

from ...errors import Damaged, GpuQuotaError, NotFound
from ...store import manifest
from ...store.cache.places import Place, place
from ...store.cache.verify import verify
from ...store.fetch import total
from ...store.lake import layout
from ...store.lake.objects import Objects
from ...store.paths import printable
from ...store.progress import Report, Steps
from ...store.tasks import in_thread
from ...store.verify import Verification
from .. import caches, lakes
from ..job import Job

PARTS = ("lake", "cache")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this verb."""
    lakes.add_arguments(parser)
    caches.add_arguments(parser)
    caches.add_version(parser)
    parser.add_argument(
        "--also",
        type=caches.copy,
        action="append",
        default=[],
        metavar="NAME@ID",
        help="another version in the lake",
    )
    parser.add_argument(
        "--only", choices=PARTS, help="what to verify: by default both that are named"
    )


async def run(job: Job, args: argparse.Namespace) -> None:
    """Hash what is wanted; raise Damaged for what is damaged and cannot be replaced.

    Damaged files of the cached copy are replaced from the lake, if that can be opened.
    """
    copy: caches.Copy = args.copy
    errors = []
    if args.only != "cache":
        objects = lakes.opened(await lakes.find(job, args, copy.dataset))
        steps = Steps(job.progress)
        for each in (copy, *args.also):
            errors += await _in_lake(job, objects, each.version, steps)
            steps.next()
    if args.only != "lake" and (root := await caches.find(job, args)):
        errors += await _in_cache(job, place(root, *copy), args)
        await caches.tell(job, args, root)
    if errors:
        raise errors[0]


async def _in_cache(job: Job, there: Place, args: argparse.Namespace) -> list[GpuQuotaError]:
    """Return the error of what is damaged in the cache, and could not be replaced."""
    objects = await lakes.if_possible(job, args, there.dataset)
    try:
        found = await verify(there, objects, job.progress, job.id)
    except NotFound:
        if args.only == "cache":
            raise
        return []  # not cached: its copy in the lake was asked for, too
    if not found:
        return []
    paths = [each.path for each in found]
    error = job.damaged(paths, "the cache", "Clear the copy, and cache the version again.")
    return [] if all(each.repaired for each in found) else [error]


async def _in_lake(job: Job, objects: Objects, version: str, report: Report) -> list[GpuQuotaError]:
    """Return the error of what is damaged or missing in the lake."""
    key, hint = (
        layout.manifest(version),
        "Sync the same data again, or restore the lake from a copy.",
    )
    try:
        body = await objects.get(key)
        stats = await in_thread(lambda: total(manifest.decode([body], version)))
    except (Damaged, NotFound):
        return [job.damaged([key], "the lake", "Restore the lake from a copy.")]
    verification = Verification(objects, report, stats)
    found = [printable(bad.path) async for bad in verification.run(manifest.read(body))]
    return [job.damaged(found, "the lake", hint)] if found else []
