"""The connection to a cluster, what is watched there, and how sessions are reached."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from ...control.board import Board
from ...control.clock import Clock
from ...control.inside.kernel_variables import SessionKernelVariables
from ...control.inventory import Inventory
from ...control.signals.presence import Presence
from ...errors import Unavailable
from ...model.messages.formats import duration
from ...model.sessions import Session
from ...model.snapshots.dumps import pod_folder
from ..api import Api, Fault
from ..config import KubernetesConfig
from ..engines.engine import Engine
from ..faults import error as explained
from ..faults import translated
from ..ingress.forwards import Forwards
from ..ingress.ingress import KubeIngress, Locator, Tokens, forwards_ports
from ..inventory import ClusterReader, follow, offers_gpus
from ..labels import RECORD
from ..logs.logs import KubeLogs
from ..objects.meta import Object
from ..programs.exec import KubeExec
from ..programs.terminals import KubeTerminals
from ..reconcile.objects import OURS
from ..reconcile.reconciler import Reconciler
from ..resources import NODES, PODS, SECRETS, STATEFUL_SETS
from ..rights.reviews import myself
from ..session_pods import Outside, PodOf
from ..signals.prometheus import Prometheus
from ..signals.signals import Fingerprints, KubeSignals
from ..signals.sizing import Sizing
from ..watching.watches import Watches

_PORTS = "ports"

NO_PROXY = (
    "KubernetesConfig.proxy is empty: where NetworkPolicies are enforced, neither JupyterLab nor "
    "this controller reaches sessions, and none is ever idle."
)


@dataclass(frozen=True, slots=True)
class Reaching:
    """The capabilities that reach pods, and what idleness is read from.

    `notice` is a warning for administrators, empty for none.
    """

    tokens: Tokens
    ingress: KubeIngress
    logs: KubeLogs
    exec: KubeExec
    terminals: KubeTerminals
    variables: SessionKernelVariables
    presence: Presence
    signals: KubeSignals
    sizing: Sizing
    forwards: Forwards | None
    notice: str = ""

    async def close(self) -> None:
        """Close all port-forwards. The signals are closed by their poller."""
        if self.forwards:
            await self.forwards.close()


def reaching(
    config: KubernetesConfig,
    api: Api,
    home: Path,
    find: Callable[[str], Session],
    pod_of: PodOf,
    clock: Clock,
) -> Reaching:
    """Return what reaches pods; sockets of port-forwards are in the state folder `home`."""
    forwarded = forwards_ports(config.reach, os.environ)
    forwards = Forwards(api, home / _PORTS, pod_of) if forwarded else None
    tokens, outside = Tokens(api), Outside()
    locate, metrics = Locator(tokens, forwards), prometheus(config)
    presence = Presence(clock, Fingerprints(locate))
    ingress = KubeIngress(find, locate, presence)
    programs = KubeExec(api, find, pod_of, outside)
    return Reaching(
        tokens=tokens,
        ingress=ingress,
        logs=KubeLogs(api, find, pod_of),
        exec=programs,
        terminals=KubeTerminals(api, find, pod_of, ingress, outside),
        variables=SessionKernelVariables(
            find, programs, ingress, lambda session: f"~/{pod_folder(session.id)}"
        ),
        presence=presence,
        signals=KubeSignals(locate, pod_of, clock, presence, outside, metrics),
        sizing=Sizing(pod_of, metrics),
        forwards=forwards,
        notice="" if forwards or config.proxy else NO_PROXY,
    )


def prometheus(config: KubernetesConfig) -> Prometheus | None:
    """Return the Prometheus of the configuration, None without one."""
    if not config.prometheus_url:
        return None
    return Prometheus(
        config.prometheus_url,
        token_file=config.prometheus_token_file,
        ca_file=config.prometheus_ca_file,
    )


_FORBIDDEN = 403
_NAMED = 3
"""Most nodes that a warning names."""
_PATIENCE = 60.0
"""Seconds in which a cluster has to be read once."""

Connect = Callable[[], Awaitable[tuple[Api, Engine]]]


class KubeCluster:
    """One cluster. `own`: only the sessions of the connection's own user are managed."""

    def __init__(
        self,
        connect: Connect,
        watches: Watches,
        reader: ClusterReader,
        board: Board,
        reconciler: Reconciler,
        *,
        own: bool,
    ) -> None:
        self._connect = connect
        self._watches = watches
        self._reader = reader
        self._board = board
        self._reconciler = reconciler
        self._own = own
        self._api: Api | None = None
        self._engine: Engine | None = None
        self._nodes = watches.cache(NODES)
        self._pods = watches.cache(PODS)

    async def start(self, changed: Callable[[], None], moved: Callable[[], None]) -> None:
        """Connect, and return once everything was read; after a failure nothing stays open.

        Raises Unavailable, NotAllowed.

        `changed` is called when nodes, pods or projects have changed, `moved` when the engine may
        have decided about sessions.
        """

        def decided(_: object = None) -> None:
            changed()
            moved()

        async with AsyncExitStack() as failed:
            failed.push_async_callback(self.close)
            try:
                with translated():
                    async with asyncio.timeout(_PATIENCE):
                        await self._start(decided)
            except TimeoutError:
                said = f": {self._watches.fault}" if self._watches.fault else ""
                raise Unavailable(
                    f"The API server does not answer{said}.",
                    hint="Check the address and the credentials in the kubeconfig.",
                ) from None
            failed.pop_all()
        self._nodes.subscribe(decided)
        self._pods.subscribe(lambda _: changed())

    async def _start(self, decided: Callable[[object], None]) -> None:
        self._api, self._engine = await self._connect()
        if self._own:
            self._reconciler.owner = (await myself(self._api)).name
        if await offers_gpus(self._api):
            self._reader.devices = follow(self._watches, decided)
        await self._watches.start()
        await self._engine.start(lambda: decided(None))
        await self._watches.ready()

    async def adopt(self) -> None:
        """Adopt the sessions whose workload is being re-created: their Secrets have the records."""
        with translated():
            found = await self._secrets()
        for secret in found:
            if RECORD in secret.metadata.annotations:
                self._reconciler.adopt(secret)

    async def close(self) -> None:
        """Disconnect."""
        if self._engine:
            await self._engine.close()
        await self._watches.close()
        if self._api:
            await self._api.close()

    def inventory(self) -> Inventory:
        """Return the nodes, and what workloads hold that are not sessions."""
        ours = self._board.by_id.keys()
        return self._reader.read(self._nodes.values(), self._pods.values(), ours)

    def warnings(self) -> Iterator[str]:
        """Yield warnings for administrators."""
        since, fault = self._watches.since, self._watches.fault
        if since and fault:
            seconds = round((datetime.now(UTC) - since).total_seconds())
            why = explained(fault)
            yield f"{why.message} The state shown is {duration(seconds)} old. {why.hint}"
        if refusal := self._watches.refusal(STATEFUL_SETS, OURS):
            yield f"Sessions cannot be shown. {explained(refusal).message}"
        if self._engine:
            yield from self._engine.warnings()
            if self._engine.name != "none":
                yield from self._miscounted()

    def _miscounted(self) -> Iterator[str]:
        """Yield on which nodes quotas count more than sessions get."""
        cluster = self._reader.cluster
        usable = (node.name for node in cluster.nodes if not node.problem)
        found = [n for n in usable if n in cluster.gpus and cluster.gpus[n].parts_look_whole]
        if found:
            others = f" and {len(found) - _NAMED} more nodes" if len(found) > _NAMED else ""
            yield (
                f"Quotas count each part of a GPU on {', '.join(found[:_NAMED])}{others} as a "
                "whole GPU, as the device plugin offers it as one (nvidia.com/gpu). Rename "
                "replicas with renameByDefault, and use the MIG strategy mixed."
            )

    async def _secrets(self) -> list[Object]:
        """Return our Secrets, one namespace after another where not all may be listed at once."""
        projects = [project.name for project in self._board.settings.projects]
        found: list[Object] = []
        for namespace in ("", *projects):
            try:
                found += await self._connected.list(SECRETS, namespace, OURS)
            except Fault as fault:
                if fault.status != _FORBIDDEN:
                    raise
            else:
                if not namespace:
                    break
        return found

    @property
    def _connected(self) -> Api:
        if self._api is None:
            raise Unavailable("The cluster is not connected.")
        return self._api
