"""GPUs as a Prometheus measures them, asked again and again for all screens together."""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping

from ...control.board import Board
from ...model.nodes import GpuProgram, Reading
from ...model.sessions import Session
from .. import labels
from ..inventory import ClusterReader
from ..nodes import placement_of
from ..objects.pods import Pod
from ..resources import PODS
from ..shares import kai
from ..shares.gpu_node import GpuNode
from ..watching.watches import Watches
from . import gpu_metrics
from .gpu_metrics import Metered, Users
from .measured import Pod as Key
from .prometheus import Prometheus

Attribute = Callable[[Mapping[str, Metered]], Mapping[str, Reading]]
"""Returns the readings of known GPUs with who uses them, by UUID; called in a thread."""

_log = logging.getLogger(__name__)

_PAUSE = 15.0
"""Seconds between two questions: as often as exporters are scraped at most."""


def gpu_meter(
    prometheus: Prometheus | None,
    board: Board,
    watches: Watches,
    reader: ClusterReader,
    changed: Callable[[], None],
) -> GpuMeter:
    """Return what measures the GPUs of a cluster; `reader` is told their readings."""
    pods = watches.cache(PODS)

    def attribute(found: Mapping[str, Metered]) -> Mapping[str, Reading]:
        gpus = reader.cluster.gpus
        users = users_by_pod(pods.values(), gpus, board.by_id)
        return gpu_metrics.readings(found, gpus, users.get)

    meter = GpuMeter(prometheus, attribute, changed)
    reader.readings = lambda: meter.readings
    return meter


class GpuMeter:
    """Asks a Prometheus, if there is one, from `start` to `close`.

    `readings` are the last ones by UUID, none while it does not answer; `changed` is called in the
    event loop after each change of them.
    """

    def __init__(
        self,
        prometheus: Prometheus | None,
        attribute: Attribute,
        changed: Callable[[], None],
        pause: float = _PAUSE,
    ) -> None:
        self.readings: Mapping[str, Reading] = {}
        self._prometheus = prometheus
        self._attribute = attribute
        self._changed = changed
        self._pause = pause
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Begin."""
        if self._prometheus:
            self._task = asyncio.create_task(self._run(self._prometheus))

    async def close(self) -> None:
        """End."""
        if self._task:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            self._task = None
        if self._prometheus:
            self._prometheus.close()

    async def _run(self, prometheus: Prometheus) -> None:
        while True:
            found = await prometheus.asked(gpu_metrics.query(), gpu_metrics.read)
            try:
                readings = await asyncio.to_thread(self._attribute, found or {})
            except Exception:  # noqa: BLE001 (a bug must not end the readings for all)
                _log.exception("readings of GPUs cannot be attributed")
                readings = {}
            if readings != self.readings:
                self.readings = readings
                self._changed()
            await asyncio.sleep(self._pause)


def users_by_pod(
    pods: Iterable[Pod], gpus: Mapping[str, GpuNode], sessions: Mapping[str, Session]
) -> dict[Key, Users]:
    """Map the pods that were given GPUs to who uses these.

    `gpus` are those of nodes by name, `sessions` ours by id. Whoever shares a GPU that KAI
    Scheduler keeps by a pod of its own uses what that pod was given.
    """
    found: dict[Key, Users] = {}
    sharing: dict[tuple[str, str], list[GpuProgram]] = defaultdict(list)
    keepers: list[Pod] = []
    for pod in pods:
        node = pod.spec.node_name
        if kai.is_reservation(pod.metadata):
            keepers.append(pod)
        elif (placement := placement_of(pod, gpus)) and placement.slices:
            program = _program(pod, sessions)
            found[_key(pod)] = Users(node, (program,))
            for group in kai.groups_of(pod.metadata):
                sharing[node, group].append(program)
    for pod in keepers:
        node = pod.spec.node_name
        group = pod.metadata.labels[kai.GROUP]
        found[_key(pod)] = Users(node, tuple(sharing[node, group]))
    return found


def _program(pod: Pod, sessions: Mapping[str, Session]) -> GpuProgram:
    """Return a pod as what uses a GPU; one outside sessions belongs to its namespace."""
    meta = pod.metadata
    session = sessions.get(meta.labels.get(labels.SESSION, ""))
    if session is None or session.spec.project != meta.namespace:
        return GpuProgram(name=meta.name, owner=meta.namespace)
    return GpuProgram(session=session.id, name=meta.name, owner=session.owner)


def _key(pod: Pod) -> Key:
    return pod.metadata.namespace, pod.metadata.name
