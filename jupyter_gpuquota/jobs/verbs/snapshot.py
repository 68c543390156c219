"""`snapshot`: a session's folder, and what it runs with, become a snapshot in a lake."""

from __future__ import annotations

import argparse
import os
import tempfile
import uuid
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from msgspec.structs import replace

from ...core.snapshots import identity, redaction
from ...errors import Conflict, Damaged, StorageFailed
from ...model.datasets.lakes import Lake
from ...model.snapshots.manifest import Consistency, Manifest, PartProblem, TreePart
from ...model.snapshots.orders import SnapshotOrder
from ...store.catalog import Catalog
from ...store.commits import Commit
from ...store.disk.failures import own_files
from ...store.frozen.providers import providers
from ...store.frozen.views import View, frozen
from ...store.lake.history import History, has_conditional_put
from ...store.lake.objects import Objects
from ...store.lake.presence import writing
from ...store.paths import printable
from ...store.processes.rooms import room
from ...store.snapshots.source import SessionFolder
from ...store.sync import Wanted, sync
from ...store.tasks import in_thread
from ...variables import SECRETS
from .. import lakes
from ..capture.parts import Parts
from ..job import Job

_NAMED = 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of this verb."""
    lakes.add_arguments(parser)
    parser.add_argument("--order", type=Path, required=True, help="a file with what to store")


async def run(job: Job, args: argparse.Namespace) -> None:
    """Store what the order says. Raises GpuQuotaError."""
    order = await in_thread(_read, args.order)
    objects = lakes.opened(await lakes.find(job, args, ""))
    snapshot = await take(job, order, objects, args.lake, secrets())
    job.note(version=snapshot)


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
    root = Path(order.folder)
    if not root.is_dir():
        return _with(order.draft, PartProblem(part="tree", message=f"{root} does not exist."))
    async with frozen(root, providers() if order.running else ()) as view:
        job.note(frozen=view is not None)
        parts = Parts(order, copies, view.root if view else None, hidden)
        manifest = await in_thread(parts.add_to, order.draft)
        source = SessionFolder(root, copies, order.exclude, parts.blobs, view)
        with closing(lakes.catalog(Lake(name=url, url=url))) as catalog:
            commit = await _stored(job, order, source, objects, catalog)
    new = commit.time >= order.draft.created
    tree = TreePart(
        folder=order.folder,
        lake=order.lake,
        dataset=identity.tree_dataset(order.draft.owner),
        version=commit.version,
        files=commit.stats.files,
        size=commit.stats.bytes,
        added=commit.stats.added if new else 0,
        provider=view.provider if view else "",
        mechanism="instant" if view else "copy",
    )
    rests = _consistency(manifest.consistency, source, view)
    return _with(replace(manifest, tree=tree, consistency=rests), *_notes(source), *_volumes(order))


async def _stored(
    job: Job,
    order: SnapshotOrder,
    source: SessionFolder,
    objects: Objects,
    catalog: Catalog,
) -> Commit:
    """Return the commit of the folder; of files that are being written, copies are stored."""
    history = History(objects, conditional=await has_conditional_put(objects))
    wanted = Wanted(
        dataset=identity.tree_dataset(order.draft.owner),
        folder=source,
        message=order.draft.note,
        author=order.draft.author,
        source=f"session:{order.draft.session}",
    )
    return await sync(
        wanted,
        objects,
        history,
        catalog,
        clock=lambda: datetime.now(UTC),
        report=job.progress,
    )


def _consistency(asked: Consistency, source: SessionFolder, view: View | None) -> Consistency:
    """Return how far the stored files belong together. `asked` is what the controller knows."""
    if source.copied or source.written:
        return "best-effort"
    return "crash" if view and view.atomic and asked == "best-effort" else asked


def _notes(source: SessionFolder) -> list[PartProblem]:
    """Return what was left out of the tree, and what was written meanwhile."""
    left = [
        PartProblem(part=f"left out:{path}", message=why)
        for path, why in sorted(source.left_out.items())
    ]
    written = [
        PartProblem(part=f"written:{printable(path)}", message="It was written meanwhile.")
        for path in sorted(source.copied | source.written)
    ]
    return [*left[:_NAMED], *written[:_NAMED]]


def _volumes(order: SnapshotOrder) -> list[PartProblem]:
    """Return the volumes of a session: others may write to them, too."""
    return [
        PartProblem(
            part=f"left out:{each.path.lstrip('/')}",
            message=f"The files of the volume {each.volume} are not in the snapshot.",
        )
        for each in order.draft.spec.mounts
        if each.volume
    ]


def _with(manifest: Manifest, *problems: PartProblem) -> Manifest:
    return replace(manifest, problems=(*manifest.problems, *problems))


def _read(path: Path) -> SnapshotOrder:
    try:
        return msgspec.json.decode(path.read_bytes(), type=SnapshotOrder)
    except OSError as error:
        raise StorageFailed(
            f"{path} cannot be read: {error.strerror}.", hint="Take the snapshot again."
        ) from error
    except msgspec.DecodeError as error:
        raise Damaged(f"{path} is malformed: {error}.") from error
