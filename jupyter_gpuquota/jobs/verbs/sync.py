"""`sync`: a folder becomes the next version of a dataset."""

from __future__ import annotations

import argparse
import asyncio
import os
from collections.abc import Mapping
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

from ... import accounts
from ...control.snapshots import git
from ...core.datasets.references import check_tag
from ...core.exclusion import check_patterns
from ...environ import SESSION
from ...errors import refuse
from ...model.datasets.names import parse_name
from ...store.lake.history import History, has_conditional_put
from ...store.sources import Folder
from ...store.sync import Wanted, sync
from .. import lakes
from ..job import Job
from ..lakes import tell


def origin_of(folder: Path, variables: Mapping[str, str] = os.environ) -> str:
    """Return words such as `session:ID commit:HASH`, as far as they are known.

    The commit is the one that is checked out where the folder is in a git repository.
    """
    session, commit = variables.get(SESSION, ""), git.origin(folder).get("commit", "")
    found = (f"session:{session}" if session else "", f"commit:{commit}" if commit else "")
    return " ".join(filter(None, found))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this verb."""
    lakes.add_arguments(parser)
    parser.add_argument("dataset", help="the name of the dataset")
    parser.add_argument("folder", help="the folder to store")
    parser.add_argument("--message", default="", help="what has changed")
    parser.add_argument("--author", default="", help="by whom; by default this account")
    parser.add_argument("--tag", default="", help="a name for the version")
    parser.add_argument(
        "--exclude", action="append", default=[], help="a pattern, as in .gitignore, to leave out"
    )
    parser.add_argument("--source", default="", help="what produced it: session:ID or snapshot:ID")


async def run(job: Job, args: argparse.Namespace) -> None:
    """Store the folder, commit the version, and report it. Raises GpuQuotaError."""
    parse_name(args.dataset)
    refuse(check_patterns("exclude", args.exclude))
    if args.tag:
        check_tag(args.tag)
    lake = await lakes.find(job, args, args.dataset)
    objects = lakes.opened(lake)
    history = History(objects, conditional=await has_conditional_put(objects))
    wanted = Wanted(
        dataset=args.dataset,
        folder=Folder(Path(args.folder), args.exclude),
        message=args.message,
        author=args.author or accounts.name(),
        tag=args.tag,
        source=args.source or await asyncio.to_thread(origin_of, Path(args.folder)),
    )
    with closing(lakes.catalog(lake)) as catalog:
        commit = await sync(
            wanted,
            objects,
            history,
            catalog,
            clock=lambda: datetime.now(UTC),
            report=job.progress,
        )
    job.note(version=commit.version)
    await tell(job, args.dataset, commit, await history.tags(args.dataset), lake, objects)
