"""Snapshots of a cluster, put together."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from ...control.board import Board
from ...control.datasets.job_board import JobBoard
from ...control.snapshots.capture import Maker
from ...control.snapshots.journal import Journal
from ...control.snapshots.orders import Orders
from ...control.snapshots.quiescence import Hook, SavingPages
from ...control.snapshots.registry import Registry
from ...control.snapshots.upkeep import Rules, Upkeep
from ...core.snapshots import identity
from ...core.snapshots.redaction import secret_values
from ...errors import Damaged, GpuQuotaError, NotFound
from ...model.datasets.datasets import Lake
from ...model.datasets.jobs import Job
from ...model.sessions import Session, SessionSpec
from ...model.snapshots.orders import SnapshotOrder
from ...ports.backend import Backend
from ...store.lake.objects import Objects
from ..api import Api
from ..builders.defaults import PodDefaults
from ..builders.helper_pod import DataJobSettings
from ..builders.volumes import claim_of
from ..objects.pods import Pod
from .capture import Around, ClaimProcess
from .claims import Restorer, claims_of, with_claims
from .copies import Copies, Orphans
from .export import CopyReader, Exporting
from .inside import Inside, PodVariables
from .order import WAITING, Patience
from .plan import COPYING
from .restores import ClaimRestore, ClaimRestores, Surroundings
from .snapshots import ClusterSnapshots

_SAVE = 10.0
"""Seconds that open pages have to save."""
_MOMENT = 5.0
"""Seconds that a start waits for the snapshots in lakes."""
_ORPHANS = 300.0
"""Seconds between two looks for copies that nobody needs."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """The cluster and its lakes, as snapshots use them.

    `own` are objects of the controller; `lost` returns why it is not in charge, empty while it is,
    `pod` the pod of a session by its id. `readers` are settings of the Jobs that read copies.
    """

    api: Api
    defaults: PodDefaults
    board: Board
    jobs: JobBoard
    own: Objects
    lakes: Callable[[], Sequence[Lake]]
    objects: Callable[[str], Objects | None]
    readers: DataJobSettings
    copying: Iterable[str] = ()
    patience: Patience = WAITING
    lost: Callable[[], str] = str
    pod: Callable[[str], Pod | None] = lambda _: None


class ClusterSnapshotParts:
    """Everything of a cluster that belongs to snapshots, from `start` to `close`."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._registry = Registry(self._lakes, self._changed)
        self._pages = SavingPages(_SAVE, lambda: cluster.board.touch("sessions"))
        self._hook, self._rules = Hook(), Rules(cluster.own)
        self._orders = Orders(cluster.own, None)
        self._variables = PodVariables(cluster.api, cluster.pod)
        self._inside = Inside(cluster.pod, self._variables, self._secrets)
        self._copies = Copies(cluster.api, cluster.patience)
        self._process = self._make_process()
        self._maker = self._make_maker()
        self._restorer = Restorer(cluster.api, self._copies)
        self._restores = self._make_restores()
        self._reader = CopyReader(cluster.api, self._restorer, cluster.readers, cluster.patience)
        self.snapshots = ClusterSnapshots(
            self._registry,
            self._maker,
            self._pages,
            self._restores,
            self._copies,
            cluster.jobs,
            Exporting(self._copies, self._reader),
        )
        self._upkeep = Upkeep(
            cluster.board, self._registry, self._maker, self.snapshots, self._rules
        )
        self._orphans = Orphans(
            cluster.api,
            self._registry,
            self._copies,
            self._namespaces,
            lambda: self._process.orders,
            timedelta(seconds=2 * cluster.patience.ready),
        )
        self._tasks: list[asyncio.Task[None]] = []

    def _make_process(self) -> ClaimProcess:
        cluster = self._cluster
        around = Around(
            board=cluster.jobs,
            registry=self._registry,
            copies=self._copies,
            claims=self._claims,
            look=self._inside.look,
            copying=COPYING | set(cluster.copying),
            patience=cluster.patience,
            lost=cluster.lost,
        )
        return ClaimProcess(cluster.api, around)

    def _make_maker(self) -> Maker:
        return Maker(
            self._cluster.jobs,
            self._orders,
            self._process,
            self._pages,
            self._hook,
            self._default,
            lambda _session, _volumes: {},
            self._changed,
        )

    def _make_restores(self) -> ClaimRestores:
        around = Surroundings(
            restorer=self._restorer,
            journal=Journal(self._cluster.own, "snapshots/claims/", ClaimRestore),
            mounting=self._mounting,
            variables=self._stored_variables,
            write=self._variables.write,
            changed=self._changed,
            patience=self._cluster.patience,
        )
        return ClaimRestores(around)

    async def start(self) -> None:
        """Read what an earlier controller has begun, and go on with it."""
        begun = await self._maker.resume()
        await self._restores.load()
        self._tasks = [asyncio.create_task(self._guarded(begun))]
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_MOMENT):
                await self._registry.loaded.wait()

    def follow(self, sessions: Sequence[Session]) -> None:
        """Note that sessions may have changed."""
        self._pages.keep_only({each.id for each in sessions})
        self._upkeep.follow(sessions)

    def heard(self, job: Job) -> None:
        """Note that a job has ended."""
        if self._maker.ended(job):
            self._upkeep.wake()

    async def close(self) -> None:
        """Stop; the next controller goes on."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._upkeep.close()
        await self._restores.close()
        await self._process.close()
        await self._maker.close()

    def added_to(self, backend: Backend) -> Backend:
        """Return the record of a backend with snapshots."""
        self._restores.sessions = backend.sessions
        self._hook.exec = self._inside.exec = backend.exec
        self._inside.logs, self._maker.runs = backend.logs, backend.runs
        self._maker.variables = backend.variables
        return replace(
            backend, snapshots=self.snapshots, streaming=self.snapshots, keeping=self._rules
        )

    async def _guarded(self, begun: Iterable[SnapshotOrder]) -> None:
        try:
            await self._begin(begun)
        except Exception as error:  # noqa: BLE001 (a bug must not end the care of all snapshots)
            _log.exception("snapshots that were begun cannot be gone on with")
            self._cluster.board.warn("snapshots", (f"Snapshots wait for a restart: {error}.",))

    async def _begin(self, begun: Iterable[SnapshotOrder]) -> None:
        """Go on once the lakes can be read, then look after what nobody needs."""
        await self._wait_for_lake()
        with contextlib.suppress(GpuQuotaError):
            await self._registry.refresh()
        for order in begun:
            await self._maker.again(order)
        await self._restores.resume()
        self._upkeep.start()
        while True:
            try:
                await self._reader.remove_left(self._namespaces())
                self._cluster.board.warn("snapshots", await self._orphans.remove())
            except GpuQuotaError as error:
                self._cluster.board.warn("snapshots", (error.message,))
            except Exception:  # noqa: BLE001 (a bug must not end the care of all snapshots)
                _log.exception("looking for copies that nobody needs has failed")
            await asyncio.sleep(_ORPHANS)

    def _namespaces(self) -> list[str]:
        return [project.name for project in self._cluster.board.settings.projects]

    async def _wait_for_lake(self) -> None:
        """Return once the default lake was opened."""
        while True:
            lake = self._default()
            if lake and lake.name in self._lakes():
                return
            if lake is None or lake.problem:  # what others have can be listed meanwhile
                await self._registry.refresh()
            await asyncio.sleep(1.0)

    def _claims(self, order: SnapshotOrder) -> Mapping[str, str]:
        draft, defaults = order.draft, self._cluster.defaults
        return claims_of(draft.spec, draft.owner, defaults, order.volumes)

    def _secrets(self, session_id: str) -> list[str]:
        session = self._cluster.board.by_id.get(session_id)
        return secret_values(session.spec.env) if session else []

    async def _stored_variables(self, snapshot: str) -> bytes:
        """Return the stored variables of a snapshot. Raises NotFound, Damaged, Unavailable."""
        manifest = await self._registry.manifest(snapshot)
        if manifest.kernel is None:
            raise NotFound("The snapshot has no variables of a kernel.")
        objects = self._registry.objects(self._registry.find(snapshot).lake)
        key = identity.file_key(manifest.owner, snapshot, manifest.kernel.sha256)
        body = await objects.get(key)
        if hashlib.sha256(body).hexdigest() != manifest.kernel.sha256:
            raise Damaged("The stored variables of the snapshot are damaged.")
        return body

    def _mounting(
        self, spec: SessionSpec, owner: str, made: Mapping[str, str], folder: str
    ) -> SessionSpec:
        defaults = self._cluster.defaults
        home = claim_of(owner, defaults.home_claim) if defaults.home_claim else ""
        return with_claims(spec, made, home, f"{defaults.home}/{folder}")

    def _changed(self) -> None:
        self._cluster.board.touch("snapshots")

    def _default(self) -> Lake | None:
        return next(iter(self._cluster.lakes()), None)

    def _lakes(self) -> Mapping[str, Objects]:
        found = {each.name: self._cluster.objects(each.name) for each in self._cluster.lakes()}
        return {name: objects for name, objects in found.items() if objects}
