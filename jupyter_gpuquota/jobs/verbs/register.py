"""`register`: the controller learns which versions are in a member's lake."""

from __future__ import annotations

import argparse

from ...model.datasets.names import parse_name
from ...store.lake.history import History
from ...store.progress import Progress
from .. import lakes
from ..job import Job
from ..lakes import tell


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this verb."""
    lakes.add_arguments(parser)
    parser.add_argument("dataset", help="the name of the dataset")


async def run(job: Job, args: argparse.Namespace) -> None:
    """Report of all versions of the dataset, oldest first. Raises GpuQuotaError."""
    parse_name(args.dataset)
    lake = await lakes.find(job, args, args.dataset)
    objects = lakes.opened(lake)
    history = History(objects, conditional=True)  # only read
    commits = await history.commits(args.dataset)
    tags = await history.tags(args.dataset)
    for number, commit in enumerate(commits):
        job.progress(Progress(files=number, all_files=len(commits)))
        await tell(job, args.dataset, commit, tags, lake, objects)
    job.progress(Progress(files=len(commits), all_files=len(commits)))
