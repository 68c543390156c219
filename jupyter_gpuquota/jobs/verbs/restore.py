"""`restore`: the files of a snapshot are written to a new folder."""

from __future__ import annotations

import argparse
import os
import shutil
from functools import partial
from pathlib import Path

from ...control.snapshots.capture.variables import NAME
from ...errors import Conflict
from ...store.cache.export import export
from ...store.disk.failures import own_files
from ...store.processes.rooms import room
from ...store.snapshots import links
from ...store.snapshots.source import OWN
from ...store.tasks import in_thread
from .. import caches, lakes
from ..job import Job


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this verb."""
    lakes.add_arguments(parser)
    parser.add_argument("--tree", type=caches.copy, required=True, help="NAME@ID of its tree")
    parser.add_argument("--folder", required=True, help="the folder to make")
    parser.add_argument("--variables", action="store_true", help="with variables of a kernel")


async def run(job: Job, args: argparse.Namespace) -> None:
    """Write the files beside the folder, and rename them into place. Raises GpuQuotaError."""
    tree: caches.Copy = args.tree
    objects = lakes.opened(await lakes.find(job, args, tree.dataset))
    folder = Path(args.folder)
    prefix = f".{folder.name}.restoring-"
    with own_files():
        async with room(folder.with_name(f"{prefix}{job.id}"), prefix) as beside:
            made = beside / "tree"
            await export(tree.version, made, objects, None, job.progress)
            await in_thread(partial(_put, made, folder, variables=args.variables))


def _put(made: Path, folder: Path, *, variables: bool) -> None:
    """Rename the complete tree into place, without what is not the user's."""
    own = made / OWN
    if own.is_dir():
        links.make(made, own / links.FILE)
        if variables and (own / NAME).is_file():
            (own / NAME).chmod(0o600)
            (own / NAME).rename(own.parent / NAME)
        shutil.rmtree(own)
        if not any(own.parent.iterdir()):
            own.parent.rmdir()
    if os.path.lexists(folder):
        raise Conflict(f"{folder} exists already.", hint="Restore to a new folder.")
    made.rename(folder)
