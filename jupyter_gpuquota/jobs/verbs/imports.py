"""`import`: what another tool has stored becomes versions of a dataset."""

from __future__ import annotations

import argparse
import getpass
import os
from contextlib import closing
from datetime import UTC, datetime

from ...core.datasets.references import check_tag
from ...store.formats import table
from ...store.formats.importing import Import, bring
from ...store.lake.history import History, has_conditional_put
from ...store.tasks import in_thread
from .. import lakes
from ..commits import tell
from ..job import Job


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this verb."""
    lakes.add_arguments(parser)
    parser.add_argument("dataset", help="the name of the dataset")
    parser.add_argument("folder", metavar="SOURCE", help="a file, a folder or a URL")
    names = ", ".join(each.name for each in table.FORMATS)
    parser.add_argument("--format", default="", help=f"{names}; by default detected")
    parser.add_argument("--message", default="", help="what has changed")
    parser.add_argument("--author", default="", help="by whom; by default this account")
    parser.add_argument("--tag", default="", help="a name for the last version")


async def run(job: Job, args: argparse.Namespace) -> None:
    """Store all states that are found, and report their versions. Raises GpuQuotaError."""
    if args.tag:
        check_tag(args.tag)
    found = table.find(args.folder, args.format)
    states = await in_thread(found.read, args.folder, os.environ)
    lake = await lakes.find(job, args, args.dataset)
    objects = lakes.opened(lake)
    history = History(objects, conditional=await has_conditional_put(objects))
    wanted = Import(
        dataset=args.dataset,
        place=args.folder,
        message=args.message,
        author=args.author or getpass.getuser(),
        tag=args.tag,
    )
    with closing(lakes.catalog(lake)) as catalog:
        commits = await bring(
            wanted,
            states,
            objects,
            history,
            catalog,
            clock=lambda: datetime.now(UTC),
            report=job.progress,
        )
    tags = await history.tags(args.dataset)
    for commit in commits:
        job.note(version=commit.version)
        await tell(job, args.dataset, commit, tags, lake, objects)
