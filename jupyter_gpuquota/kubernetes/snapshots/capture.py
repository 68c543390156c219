"""Making the snapshot of a session in a pod: its claims are copied, then the manifest is stored."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

from msgspec.structs import replace

from ...control.datasets.job_board import JobBoard
from ...control.snapshots.registry import Registry
from ...core.snapshots import identity
from ...errors import GpuQuotaError, Internal
from ...model.datasets.jobs import JobReport
from ...model.snapshots.manifest import Consistency, Manifest, PartProblem, VolumePart
from ...model.snapshots.orders import SnapshotOrder
from ...ports.charge import NotInCharge
from ..api import Api, Fault
from ..faults import translated
from ..objects.storage import Claim, ClassOfStorage, PersistentVolume
from ..resources import CLAIMS, PERSISTENT_VOLUMES, STORAGE_CLASSES
from ..volumes.reading import size_of
from .copies import Copies
from .inside import Looked
from .kinds import discover
from .order import WAITING, Order, Patience, Taken, persistently
from .plan import COPYING, Plan, Storage, plan
from .ways import FORBIDDEN, NOT_FOUND, existing

_REPORT = 2.0
"""Seconds between two reports."""
_log = logging.getLogger(__name__)
Look = Callable[[SnapshotOrder], Awaitable[Looked]]
"""Returns the draft of an order with what is inside of its session, and what could not be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """What making snapshots needs of the rest of the controller.

    `claims` returns the paths of the claims that an order's session mounts, by claim. `copying` are
    drivers whose snapshots are copies of files. `lost` returns why this controller is not in
    charge, empty while it is.
    """

    board: JobBoard
    registry: Registry
    copies: Copies
    claims: Callable[[SnapshotOrder], Mapping[str, str]]
    look: Look
    copying: Collection[str] = COPYING
    patience: Patience = WAITING
    lost: Callable[[], str] = str


class ClaimProcess:
    """Makes snapshots in the event loop. Whoever is killed is continued: names are the order's."""

    def __init__(self, api: Api, around: Around) -> None:
        self._api = api
        self._around = around
        self._tasks: dict[str, asyncio.Task[None]] = {}

    @property
    def orders(self) -> Collection[str]:
        """The ids of the orders that are being carried out."""
        return tuple(self._tasks)

    async def start(self, order: SnapshotOrder, file: str, lake: str) -> None:
        """Start; how it ends is told to the job board."""
        task = asyncio.create_task(self._guarded(order, lake))
        self._tasks[order.id] = task
        task.add_done_callback(lambda _: self._tasks.pop(order.id, None))

    async def close(self) -> None:
        """Stop; the next controller goes on."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _guarded(self, order: SnapshotOrder, lake: str) -> None:
        make, remove = partial(self._make, order, lake), partial(self._remove, order)
        making = asyncio.create_task(persistently(make, self._around.patience))
        try:
            while not making.done():
                await asyncio.wait({making}, timeout=_REPORT)
                if not making.done() and await self._is_cancelled(order):
                    making.cancel()
                    await asyncio.wait({making})
                    await persistently(remove, self._around.patience)
                    await self._report(order, JobReport(kind="snapshot", state="cancelled"))
                    return
            made = making.result()
            await self._around.registry.refresh()
            await self._report(order, JobReport(kind="snapshot", state="done", version=made))
        except GpuQuotaError as error:
            self._around.board.fail(order.id, error)
        except Exception as error:  # noqa: BLE001 (a bug must not leave a snapshot unfinished)
            _log.exception("a snapshot has failed")
            self._around.board.fail(order.id, Internal(f"The snapshot has failed: {error}."))
        finally:
            making.cancel()

    async def _remove(self, order: SnapshotOrder) -> None:
        await self._around.copies.remove(order.draft.project, order.id)

    async def _is_cancelled(self, order: SnapshotOrder) -> bool:
        job = await self._around.board.report(
            order.id, JobReport(kind="snapshot", state="running"), order.draft.owner
        )
        return job.cancelling

    async def _report(self, order: SnapshotOrder, report: JobReport) -> None:
        await self._around.board.report(order.id, report, order.draft.owner)

    async def _make(self, order: SnapshotOrder, lake: str) -> str:
        """Return the id of the snapshot once its manifest is stored."""
        if made := self._made(order.draft):
            return made
        looked = await self._around.look(order)
        body = identity.encode(await self._with_volumes(order, looked.draft))
        snapshot = identity.identity(body)
        objects = self._around.registry.objects(lake)
        if why := self._around.lost():
            raise NotInCharge(why)
        for digest, file in looked.files.items():
            await objects.put(identity.file_key(order.draft.owner, snapshot, digest), file)
        await objects.create(identity.key(order.draft.owner, snapshot), body)
        if looked.after:
            await _tidied(looked.after)
        return snapshot

    def _made(self, draft: Manifest) -> str:
        """Return the snapshot that an earlier controller has stored, empty if none has."""
        for each in self._around.registry.all():
            if (each.snapshot.session, each.snapshot.created) == (draft.session, draft.created):
                return each.snapshot.id
        return ""

    async def _with_volumes(self, order: SnapshotOrder, draft: Manifest) -> Manifest:
        """Return a draft with copies of the session's claims."""
        paths = self._around.claims(order)
        with translated():
            found = [await existing(self._api, CLAIMS, draft.project, name) for name in paths]
            claims = {each.metadata.name: each for each in found if each}
            offer = await discover(self._api)
            storage = await self._storage(claims.values())
            wanted = plan(list(claims.values()), offer, storage)
            about = Order(
                id=order.id,
                namespace=draft.project,
                session=draft.session,
                owner=identity.owner_hash(draft.owner),
            )
            taken = await self._around.copies.take(about, wanted.batches)
        problems = [*_problems(wanted, taken), *_gone(paths, claims)]
        parts = [
            _part(each, claims[each.claim], paths[each.claim], draft)
            for each in taken
            if not each.problem
        ]
        return replace(
            draft,
            volumes=(*draft.volumes, *parts),
            problems=(*draft.problems, *problems),
            consistency=_overall(draft, parts, taken),
        )

    async def _storage(self, claims: Iterable[Claim]) -> Storage:
        """Return the classes and volumes of claims, as far as they may be read."""
        volumes: list[PersistentVolume] = []
        classes: Sequence[ClassOfStorage] = ()
        with _as_far_as_allowed():
            classes = await self._api.list(STORAGE_CLASSES)
        for name in filter(None, (each.spec.volume_name for each in claims)):
            with _as_far_as_allowed():
                volumes.append(await self._api.get(PERSISTENT_VOLUMES, "", name))
        return Storage(classes=classes, volumes=volumes, copying=self._around.copying)


@contextmanager
def _as_far_as_allowed() -> Iterator[None]:
    """Do without what may not be read, or is gone."""
    try:
        yield
    except Fault as fault:
        if fault.status not in (FORBIDDEN, NOT_FOUND):
            raise


async def _tidied(work: Callable[[], Awaitable[None]]) -> None:
    """Do what a snapshot does not depend on."""
    try:
        await work()
    except (GpuQuotaError, ValueError) as error:
        _log.warning("What a snapshot no longer needs stays in the session: %s", error)


def _part(taken: Taken, claim: Claim, path: str, draft: Manifest) -> VolumePart:
    return VolumePart(
        volume=taken.claim,
        path=path,
        provider=taken.provider,
        handle=f"{draft.project}/{taken.handle}",
        size=max(taken.size, size_of(claim)),  # a driver may count the content alone
        consistency=_consistency(draft, is_copy=taken.is_copy),
        mechanism="copy" if taken.is_copy else "instant",
        storage_class=claim.spec.storage_class_name or "",
        modes=claim.spec.access_modes,
    )


def _consistency(draft: Manifest, *, is_copy: bool) -> Consistency:
    """Return how consistent the copy of one claim is in itself."""
    if draft.consistency == "quiesced":
        return "quiesced"
    return "best-effort" if is_copy else "crash"


def _overall(draft: Manifest, parts: Sequence[VolumePart], taken: Sequence[Taken]) -> Consistency:
    """Return how consistent the claims are with each other."""
    if not parts or draft.consistency == "quiesced":
        return draft.consistency
    groups = {each.group for each in taken}
    one_moment = len(parts) == 1 or (len(groups) == 1 and "" not in groups)
    instant = all(each.mechanism == "instant" for each in parts)
    return "crash" if one_moment and instant else "best-effort"


def _problems(wanted: Plan, taken: Sequence[Taken]) -> list[PartProblem]:
    """Return what could not be copied, and what could not be copied at the same moment."""
    why = {**wanted.problems, **{each.claim: each.problem for each in taken if each.problem}}
    refused = [
        PartProblem(part=f"volume:{name}", message=f"It was not copied: {text}.")
        for name, text in why.items()
    ]
    apart = [each for each in taken if each.why and not each.problem]
    if len(apart) > 1:
        text = f"Volumes were copied one after another: {apart[0].why}."
        return [*refused, PartProblem(part="volumes", message=text)]
    return refused


def _gone(paths: Mapping[str, str], claims: Mapping[str, Claim]) -> list[PartProblem]:
    return [
        PartProblem(part=f"volume:{name}", message="It was not copied: there is no such claim.")
        for name in paths
        if name not in claims
    ]
