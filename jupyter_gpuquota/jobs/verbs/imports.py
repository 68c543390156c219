"""`import`: the objects below a prefix of a bucket become the next version of a dataset."""

from __future__ import annotations

import argparse
import os
from contextlib import closing
from datetime import UTC

from ... import accounts
from ...core.datasets.references import check_tag
from ...store import sources
from ...store.lake.history import History, has_conditional_put
from ...store.sync import Wanted, sync
from .. import lakes
from ..job import Job
from ..lakes import tell


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this verb."""
    lakes.add_arguments(parser)
    parser.add_argument("dataset", help="the name of the dataset")
    parser.add_argument("folder", metavar="URL", help="the prefix, such as s3://bucket/prefix")
    parser.add_argument("--message", default="", help="what has changed")
    parser.add_argument("--author", default="", help="by whom; by default this account")
    parser.add_argument("--tag", default="", help="a name for the version")


async def run(job: Job, args: argparse.Namespace) -> None:
    """Store the objects, commit the version, and report it. Raises GpuQuotaError."""
    if args.tag:
        check_tag(args.tag)
    found = await sources.find(args.folder, os.environ)
    written = found.written.astimezone(UTC)
    lake = await lakes.find(job, args, args.dataset)
    objects = lakes.opened(lake)
    history = History(objects, conditional=await has_conditional_put(objects))
    wanted = Wanted(
        dataset=args.dataset,
        folder=found,
        message=args.message or f"{args.folder} as of {written:%Y-%m-%d %H:%M} UTC",
        author=args.author or accounts.name(),
        tag=args.tag,
        source=args.folder,
    )
    with closing(lakes.catalog(lake)) as catalog:
        commit = await sync(
            wanted, objects, history, catalog, clock=lambda: written, report=job.progress
        )
    job.note(version=commit.version)
    await tell(job, args.dataset, commit, await history.tags(args.dataset), lake, objects)
