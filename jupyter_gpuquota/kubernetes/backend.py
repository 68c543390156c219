"""The kubernetes backend: sessions as pods of a cluster, whose own engine decides about GPUs."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import cast

from ..control.access import EntryLog
from ..control.assembly import Plugin
from ..control.board import Board
from ..control.capabilities import BoardChanges, RecordedHistory
from ..control.clock import Clock
from ..control.config import GpuQuota
from ..control.ending.open_pages import OpenPages
from ..control.idle.activity_poller import ActivityPoller
from ..control.idle.monitor import IdleMonitor
from ..control.policing import IdlePolicing
from ..control.recorder import Recorder
from ..control.runs.measured import runs_inside
from ..control.storage.state_folder import make_state_folder
from ..control.webhook import Webhook
from ..core.scheduling.capacity import capacity_of
from ..ports.access import Access
from ..ports.backend import Backend, Differences
from .api import Api
from .builders.defaults import PodDefaults
from .builders.session_manifests import SessionManifests
from .config import KubernetesConfig
from .connecting import connect
from .data import open_data, open_snapshots
from .datasets.assembly import ClusterData
from .engines.discovery import Name, discover
from .engines.engine import Engine
from .engines.surroundings import Surroundings
from .hosting import for_one_person, notices
from .inventory import ClusterReader, KubernetesInventory, Offer
from .lease.keeper import Leadership, LeaseKeeper
from .nodes import NodeSettings
from .reconcile.objects import SessionObjects
from .reconcile.reconciler import Reconciler
from .reconcile.secrets import SessionSecrets
from .reconcile.steps import Steps
from .reconcile.writer import Writer
from .resident.cluster import KubeCluster, prometheus, reaching
from .resident.facts import ClusterFacts
from .resident.resident import ClusterResident, Driven, Late, at_once, parts_of
from .resident.settings import ClusterSettings, administrator
from .rights.access import ClusterAccess, SessionTokens, new_token
from .rights.reviews import KindRights
from .rights.roles import team
from .shares.registry import Shares
from .signals.gpu_meter import gpu_meter
from .usage import ClusterSessions, ClusterUsage, EnginePlanning
from .volumes.assembly import ClusterClaims
from .watching.watches import Watches

Connect = Callable[[], Awaitable[Api]]


def open_kubernetes(
    control: GpuQuota,
    config: KubernetesConfig,
    home: Path,
    *,
    clock: Clock | None = None,
    connecting: Connect | None = None,
) -> Backend:
    """Return the backend of one cluster; `start` of its resident connects, by `connecting`.

    Raises StorageFailed, TraitError.
    """
    make_state_folder(home)
    return _Assembly(control, config, home, clock or Clock(), connecting).backend()


PLUGIN = Plugin(open_kubernetes, KubernetesConfig)


class _Assembly:
    """Puts the backend together; what the connection brings stands in as `Late` until then."""

    def __init__(
        self,
        control: GpuQuota,
        config: KubernetesConfig,
        home: Path,
        clock: Clock,
        connecting: Connect | None,
    ) -> None:
        self._control = control
        self._config = config
        self._home, self._clock = home, clock
        self._connect = connecting or partial(connect, config.kubeconfig, config.context)
        self._board = Board()
        self._leadership = Leadership()
        self._late_api, self._late_engine = Late("The cluster"), Late("The cluster's engine")
        self._late_access, self._late_differences = Late("The cluster"), Late("The cluster")
        self._api, self._engine = cast("Api", self._late_api), cast("Engine", self._late_engine)
        self._watches = Watches(self._api, config.watched())
        self._objects = SessionObjects(self._watches, config.training_runtime)
        groups, defaults = tuple(config.node_type_labels), config.pod_defaults()
        nodes = NodeSettings(groups, defaults.tolerations, counted=config.milli_resource)
        self._reader = ClusterReader(nodes, lambda: self._engine.divides)
        offer = Offer(config.images(), Shares(config.shares, groups), config.containers())
        self._inventory = self._make_inventory(offer)
        self._data = self._make_data(defaults)
        cluster = (self._board, self._api, self._watches)
        self._volumes = ClusterClaims(config, *cluster, lambda id_: self._reconciler.wake(id_))
        pod_of = self._objects.pod
        about = (self._board, self._api, self._data, self._leadership.lost, pod_of)
        self._snapshots = open_snapshots(config, defaults, *about)
        self._facts = self._make_facts()
        self._reaching = reaching(config, self._api, home, self._board.find, pod_of, clock)
        self._pages = OpenPages(self._reaching.presence)
        known = (self._board, self._watches, self._reader)
        self._meter = gpu_meter(prometheus(config), *known, lambda: self._resident.look())
        self._admin = administrator(control, self._board, self._engine)
        self._manifests = self._make_manifests(defaults)
        self._reconciler = self._make_reconciler()
        self._resident = self._make_resident()
        self._settings = self._make_settings()

    def _make_inventory(self, offer: Offer) -> KubernetesInventory:
        return KubernetesInventory(
            self._board,
            offer,
            self._reader,
            lambda project, kind, resource: self._engine.counts(project, kind, resource),
            lambda project: self._engine.limits(project),
            lambda: self._engine.gangs,
        )

    def backend(self) -> Backend:
        """Return the record of capabilities."""
        board, resident = self._board, self._resident
        sessions = ClusterSessions(board, self._reconciler, self._pages)
        found = Backend(
            name="kubernetes",
            resident=resident,
            sessions=sessions,
            inventory=self._inventory,
            changes=BoardChanges(board),
            access=cast("Access", self._late_access),
            planning=EnginePlanning(
                self._engine, board, self._facts.isolation, self._volumes.told, self._manifests.told
            ),
            usage=ClusterUsage(board, self._control.idle_interval),
            logs=self._reaching.logs,
            exec=self._reaching.exec,
            terminals=self._reaching.terminals,
            ingress=self._reaching.ingress,
            variables=self._reaching.variables,
            runs=runs_inside(self._reaching.exec, resident.recorder.utilisation),
            history=RecordedHistory(resident.recorder),
            administration=self._settings,
            lakes=self._settings.data,
            templates=self._settings.templates,
            policing=IdlePolicing(
                board, resident.recorder, resident.monitor, at_once, resident.keep_alive
            ),
            differences=cast("Differences", self._late_differences),
            failures=lambda: self._reconciler.failures.count,
            measured=self._reaching.sizing.usage,
        )
        for each in (self._data, self._volumes, self._snapshots):
            found = each.added_to(found)
        board.warn("hosting", (*notices(self._control), self._reaching.notice))
        return found if self._is_team else for_one_person(found)

    @property
    def _is_team(self) -> bool:
        """Whether this controller acts for many people, with its own service account."""
        return self._control.hosting == "https"

    def _make_facts(self) -> ClusterFacts:
        return ClusterFacts(
            self._engine,
            self._inventory,
            self._reader,
            self._watches,
            self._data.why,
            self._volumes.attached,
        )

    def _make_data(self, defaults: PodDefaults) -> ClusterData:
        about = (self._board, self._home, self._api, self._watches)
        return open_data(self._config, defaults, *about, lambda id_: self._reconciler.wake(id_))

    def _make_manifests(self, defaults: PodDefaults) -> SessionManifests:
        parts = partial(parts_of, self._engine, self._inventory, self._board, defaults)
        return SessionManifests(parts, defaults, self._volumes.attached, self._objects.kinds)

    def _make_reconciler(self) -> Reconciler:
        board = self._board
        secrets = SessionSecrets(self._api, new_token)
        writer = Writer(self._api, self._manifests, secrets, self._volumes.of_sessions)
        steps = Steps(
            board,
            self._objects,
            writer,
            self._facts,
            self._pages,
            self._reaching.logs,
            save=self._control.save_timeout,
            starting=self._config.start_timeout,
        )
        return Reconciler(board, self._objects, writer, steps)

    def _make_resident(self) -> ClusterResident:
        control, board, clock = self._control, self._board, self._clock
        cluster = KubeCluster(
            self._connect_all,
            self._watches,
            self._reader,
            board,
            self._reconciler,
            own=not self._is_team,
        )
        return ClusterResident(
            Driven(
                board=board,
                cluster=cluster,
                reconciler=self._reconciler,
                admin=self._admin,
                monitor=IdleMonitor(board, clock, control.idle_interval),
                recorder=Recorder(control, board, clock, self._home / "history.sqlite"),
                poller=ActivityPoller(self._reaching.signals, float(control.idle_interval)),
                webhook=Webhook(control.webhook),
                pages=self._pages,
                reaching=self._reaching,
                leadership=self._leadership,
                attached=(self._data, self._volumes, self._meter),
                home=self._home,
            )
        )

    def _make_settings(self) -> ClusterSettings:
        return ClusterSettings(self._board, self._admin, self._resident.work, self._engine)

    async def _connect_all(self) -> tuple[Api, Engine]:
        """Connect, find the engine, and complete what waits for both."""
        api = await self._connect()
        if self._is_team:
            self._leadership.contest(LeaseKeeper(api, self._config.lease))
        self._late_api.found(api, self._leadership.lost)
        async with AsyncExitStack() as failed:
            failed.push_async_callback(api.close)
            engine = await self._discover()
            await self._objects.discover(api, KindRights(api))
            failed.pop_all()
        self._late_engine.found(engine)
        self._late_differences.found(replace(engine.differences, on_this_machine=False))
        self._late_access.found(self._make_access(api, engine))
        return api, engine

    async def _discover(self) -> Engine:
        """Return the cluster's engine. Raises Fault, Unsupported."""
        around = Surroundings(
            api=self._api,
            caches=self._watches,
            sessions=lambda: self._board.sessions,
            request=self._facts.request,
            capacity=lambda: capacity_of(self._board.nodes),
            cluster=lambda: self._reader.cluster,
            namespaces=self._config.namespaces,
            settings=self._config.engine_settings(),
        )
        return await discover(around, cast("Name", self._config.engine))

    def _make_access(self, api: Api, engine: Engine) -> ClusterAccess:
        async def note(who: str, what: str) -> None:
            await self._resident.work(self._admin.note, who, what)

        return ClusterAccess(
            api,
            team(engine.name),
            lambda: [project.name for project in self._board.settings.projects],
            SessionTokens(lambda id_: self._board.by_id.get(id_), self._reaching.tokens.of),
            EntryLog(note),
            self._config.user_prefixes,
        )
