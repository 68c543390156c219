"""`snapshot`: a session's folder, and what it runs with, become a snapshot in a lake."""

from __future__ import annotations

import argparse
import os
import tempfile
import uuid
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack, closing
from functools import partial
from pathlib import Path

import msgspec
from msgspec.structs import replace

from ...core import exclusion
from ...core.snapshots import identity, redaction, volumes
from ...environ import SECRETS
from ...errors import Conflict, Damaged, StorageFailed
from ...model.datasets.datasets import Lake
from ...model.snapshots.manifest import Manifest, PartProblem, VolumePart
from ...model.snapshots.orders import SnapshotOrder
from ...model.struct import decoded
from ...store.disk.failures import own_files
from ...store.entries import FOLDER
from ...store.exclusion import Exclusion, Rules
from ...store.frozen import View, frozen, providers
from ...store.lake.history import History, has_conditional_put
from ...store.lake.objects import Objects
from ...store.lake.presence import writing
from ...store.processes import room
from ...store.snapshots import SessionFolder
from ...store.tasks import in_thread
from .. import lakes
from ..capture import Parts, Trees
from ..job import Job


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this verb."""
    lakes.add_arguments(parser)
    parser.add_argument("--order", type=Path, required=True, help="a file with what to store")


async def run(job: Job, args: argparse.Namespace) -> None:
    """Store what the order says. Raises GpuQuotaError."""
    order = await in_thread(_read, args.order)
    objects = lakes.opened(await lakes.find(job, args, ""))
    job.note(version=await take(job, order, objects, args.lake, secrets()))


def secrets() -> list[str]:
    """Return what must not be stored: what the controller has named, and our own secrets.

    The session has inherited the variables of the controller, as this process has. Programs that
    are started here do not get what was named.
    """
    given = msgspec.json.decode(os.environ.pop(SECRETS, "[]"), type=list[str])
    return redaction.longest_first([*given, *redaction.secret_values(os.environ)])


async def take(
    job: Job, order: SnapshotOrder, objects: Objects, url: str, hidden: Sequence[str] = ()
) -> str:
    """Store the tree, then the manifest that names it; return the snapshot's id.

    Texts beside the session's files are stored without what is `hidden`.

    The same order and the same folder have the same id: who goes on after a kill makes nothing
    twice. Nobody removes objects from the lake before the manifest names what it needs of them.

    :raises Conflict: this process was suspended for so long that the lake took it for dead.
    """
    async with writing(objects) as presence:
        with own_files():
            prefix = f"gpuquota-snapshot-{os.geteuid()}-"
            place = Path(tempfile.gettempdir(), f"{prefix}{uuid.uuid4().hex}")
            async with room(place, prefix) as copies:
                manifest = await _made(job, order, objects, copies, url, hidden)
        job.note(reason=exclusion.summary(manifest.problems))
        body = identity.encode(manifest)
        snapshot = identity.identity(body)
        key = identity.key(order.draft.owner, snapshot)
        await objects.create(key, body)
        if not await presence.remains():
            await objects.delete([key])
            raise Conflict(
                "The snapshot was interrupted for too long.",
                hint="Take it again: what was sent is kept for an hour.",
            )
    return snapshot


async def _made(
    job: Job,
    order: SnapshotOrder,
    objects: Objects,
    copies: Path,
    url: str,
    hidden: Sequence[str],
) -> Manifest:
    """Return the manifest with all parts that could be stored."""
    history = History(objects, conditional=await has_conditional_put(objects))
    async with AsyncExitStack() as stack:
        catalog = stack.enter_context(closing(lakes.catalog(Lake(name=url, url=url))))
        trees = Trees(order, objects, history, catalog, job.progress)
        views = await _views(job, order, stack)
        manifest = await _with_folder(order, copies, trees, views.get(order.folder), hidden)
        return await _with_volumes(manifest, order, copies, trees, views)


async def _views(
    job: Job, order: SnapshotOrder, stack: AsyncExitStack
) -> Mapping[str, View | None]:
    """Return frozen views by folder; a session goes on once everything is frozen."""
    folders = {each.folder: order.running or each.writes for each in order.mounted}
    folders[order.folder] = order.running
    rules = Rules(order.patterns, order.own)
    views: dict[str, View | None] = {}
    for folder, work in folders.items():
        if Path(folder).is_dir():
            excluded = await in_thread(Exclusion, Path(folder), rules)
            able = providers(partial(excluded.why, mode=FOLDER)) if work else ()
            views[folder] = await stack.enter_async_context(frozen(Path(folder), able))
    job.note(frozen=bool(views) and None not in views.values())
    return views


async def _with_folder(
    order: SnapshotOrder, copies: Path, trees: Trees, view: View | None, hidden: Sequence[str]
) -> Manifest:
    """Return the draft with the session's folder, and what was found in it."""
    root = Path(order.folder)
    if not root.is_dir():
        return _with(order.draft, PartProblem(part="tree", message=f"{root} does not exist."))
    parts = Parts(order, copies, view.root if view else None, hidden)
    manifest = await in_thread(parts.add_to, order.draft)
    rules = Rules(order.patterns, order.own)
    source = SessionFolder(root, copies, order.exclude, parts.blobs, view, rules, trees.catalog)
    stored = await trees.folder(source, view)
    made = replace(manifest, tree=stored.part, consistency=stored.consistency)
    return _with(made, *stored.problems)


async def _with_volumes(
    manifest: Manifest,
    order: SnapshotOrder,
    copies: Path,
    trees: Trees,
    views: Mapping[str, View | None],
) -> Manifest:
    """Return a manifest with copies of volumes; each one may fail alone."""
    parts: list[VolumePart] = []
    problems: list[PartProblem] = []
    for number, each in enumerate(order.mounted):
        room = copies / f"volume-{number}"
        room.mkdir()
        part, found = await trees.volume(each, room, views.get(each.folder))
        parts += [part] if part else []
        problems += found
    own = [manifest.consistency] if manifest.tree or not parts else []
    return replace(
        manifest,
        volumes=(*manifest.volumes, *parts),
        problems=(
            *manifest.problems,
            *problems,
            *volumes.left_out(order.draft.spec, [each.volume for each in order.mounted]),
        ),
        consistency=volumes.together([*own, *(each.consistency for each in parts)]),
    )


def _with(manifest: Manifest, *problems: PartProblem) -> Manifest:
    return replace(manifest, problems=(*manifest.problems, *problems))


def _read(path: Path) -> SnapshotOrder:
    try:
        return decoded(path.read_bytes(), SnapshotOrder)
    except OSError as error:
        raise StorageFailed(
            f"{path} cannot be read: {error.strerror}.", hint="Take the snapshot again."
        ) from error
    except msgspec.DecodeError as error:
        raise Damaged(f"{path} is malformed: {error}.") from error
