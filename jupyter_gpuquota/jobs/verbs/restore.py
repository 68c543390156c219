"""`restore`: the files of a snapshot are written to new folders."""

from __future__ import annotations

import argparse
import os
import shutil
from collections.abc import Mapping
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path

from ...control.snapshots.drafts import VARIABLES
from ...errors import Conflict
from ...store import attributes
from ...store.cache.export import export
from ...store.disk.failures import own_files
from ...store.disk.files import flush, sync_path
from ...store.processes import room
from ...store.progress import Steps
from ...store.snapshots import OWN
from ...store.tasks import in_thread
from .. import caches, lakes
from ..job import Job

_WIDEST = 0o022
"""The bits that no file has unless a snapshot says that it had them."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this verb."""
    lakes.add_arguments(parser)
    parser.add_argument("--tree", type=caches.copy, required=True, help="NAME@ID of a tree")
    parser.add_argument("--folder", required=True, help="the folder to make")
    parser.add_argument(
        "--also",
        nargs=2,
        action="append",
        default=[],
        metavar=("NAME@ID", "FOLDER"),
        help="another tree of the lake, and the folder to make for it",
    )
    parser.add_argument("--variables", action="store_true", help="with variables of a kernel")


async def run(job: Job, args: argparse.Namespace) -> None:
    """Write the files beside their folders, and rename them into place. Raises GpuQuotaError.

    A tree whose folder lies in an earlier one is written into that before it is renamed.
    """
    objects = lakes.opened(await lakes.find(job, args, args.tree.dataset))
    trees = [(args.tree, Path(args.folder))]
    trees += [(caches.copy(tree), Path(folder)) for tree, folder in args.also]
    steps, made = Steps(job.progress), dict[Path, Path]()
    modes: list[tuple[Path, bytes | None]] = []
    umask = os.umask(_WIDEST)
    os.umask(umask | _WIDEST)
    with own_files():
        async with AsyncExitStack() as stack:
            for tree, folder in trees:
                target = _inside(made, folder)
                if target is None:
                    folder.parent.mkdir(parents=True, exist_ok=True)
                    prefix = f".{folder.name}.restoring-"
                    beside = room(folder.with_name(f"{prefix}{job.id}"), prefix)
                    target = made[folder] = await stack.enter_async_context(beside) / "tree"
                await export(tree.version, target, objects, None, steps)
                tidied = partial(_tidied, target, variables=args.variables)
                modes.append((target, await in_thread(tidied)))
                steps.next()
            for target, body in reversed(modes):
                await in_thread(attributes.set_modes, target, body, umask)
            for folder in made:
                _check(folder)
            for folder, tree in made.items():
                await in_thread(_put, tree, folder)


def _inside(made: Mapping[Path, Path], folder: Path) -> Path | None:
    """Return where a folder is in a tree that is not in its place yet, None if it is in none.

    Raises Conflict if something else is there.
    """
    for whole, tree in made.items():
        if folder.is_relative_to(whole):
            target = tree / folder.relative_to(whole)
            target.parent.mkdir(parents=True, exist_ok=True)
            if target.parent.resolve() != tree.resolve() / folder.relative_to(whole).parent:
                raise Conflict(f"{folder} would be elsewhere.", hint="Remove the link above it.")
            return target
    return None


def _tidied(made: Path, *, variables: bool) -> bytes | None:
    """Remove what is not the user's from a tree, and make its links that lead out of it.

    Return its list of modes, None if it has none.
    """
    own, modes = made / OWN, None
    if own.is_dir():
        attributes.make_links(made, own / attributes.LINKS)
        if (own / attributes.MODES).is_file():
            modes = (own / attributes.MODES).read_bytes()
        if variables and (own / VARIABLES).is_file():
            (own / VARIABLES).chmod(0o600)
            (own / VARIABLES).rename(own.parent / VARIABLES)
        shutil.rmtree(own)
        if not any(own.parent.iterdir()):
            own.parent.rmdir()
    return modes


def _check(folder: Path) -> None:
    if os.path.lexists(folder):
        raise Conflict(f"{folder} exists already.", hint="Restore to a new folder.")


def _put(made: Path, folder: Path) -> None:
    """Rename a complete tree into place."""
    flush(made)
    _check(folder)
    made.rename(folder)
    sync_path(folder.parent)
