"""What is known of sessions besides their own objects: engine, shares and nodes."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

from msgspec.structs import replace

from ...core.scheduling.undivided import is_undivided, plain_reason
from ...errors import GpuQuotaError
from ...model.reasons import Reason
from ...model.resources import MILLI, Isolation, Placement
from ...model.sessions import Session, SessionSpec
from ..engines.engine import Admission, Engine, EnginePatch
from ..inventory import ClusterReader, KubernetesInventory
from ..nodes import is_ready, placement_of
from ..objects.pods import Pod
from ..resources import NODES
from ..shares.provider import PodPatch
from ..state.attached import Attached
from ..watching.watches import Watches


class ClusterFacts:
    """Facts from memory; nodes that do not respond are collected when nodes change."""

    def __init__(
        self,
        engine: Engine,
        inventory: KubernetesInventory,
        reader: ClusterReader,
        watches: Watches,
        data: Callable[[Session], Reason | None],
        attached: Callable[[SessionSpec, str], Sequence[Attached]],
    ) -> None:
        self._engine = engine
        self._inventory = inventory
        self._reader = reader
        self._data = data
        self._attached = attached
        self._nodes = watches.cache(NODES)
        self._lost: frozenset[str] | None = None
        self._divided_by: tuple[object, ...] = ()
        self._undivided = False
        self._nodes.subscribe(self._forget)

    def admission(self, session: Session) -> Admission:
        """Return what the engine says about a session, in the words for its cluster."""
        found = self._engine.admission(session)
        place = found.queue
        if place is None or place.reason is None or not self._is_undivided():
            return found
        plain = replace(place, reason=plain_reason(place.reason))
        return dataclasses.replace(found, queue=plain)

    def placement(self, pod: Pod) -> Placement | None:
        """Return where a pod holds resources, None if it holds none."""
        return placement_of(pod, self._reader.cluster.gpus)

    def isolation(self, spec: SessionSpec) -> Isolation | None:
        """Return what isolates a share; None, too, if no node gives it any more."""
        try:
            return self._inventory.choice(spec).isolation()
        except GpuQuotaError:  # the session was admitted when there were other nodes
            return None

    def request(self, spec: SessionSpec) -> PodPatch:
        """Return what the pod of a request asks for of GPUs, and what that costs in quota."""
        try:
            return self._inventory.choice(spec).patch()
        except GpuQuotaError:  # as above: then it counts as what was requested
            return PodPatch(milli=spec.share.milli or (MILLI if spec.share.wants_gpu else 0))

    def data(self, session: Session) -> Reason | None:
        """Return why the datasets of a session are not there, None if they are, or it has none."""
        return self._data(session) if session.spec.data else None

    def attached(self, session: Session) -> Sequence[Attached]:
        """Return the volumes that tie a session to nodes, as others mount them there now."""
        return self._attached(session.spec, session.owner)

    def lost(self) -> frozenset[str]:
        """Return the nodes that do not respond."""
        if self._lost is None:
            lost = (node for node in self._nodes.values() if not is_ready(node))
            self._lost = frozenset(node.metadata.name for node in lost)
        return self._lost

    def engine(self, spec: SessionSpec) -> EnginePatch:
        """Return what the engine adds to the workload of a request."""
        return self._engine.patch(spec)

    def _is_undivided(self) -> bool:
        """Return whether one project has all GPUs; looked up again when these change."""
        projects, nodes = self._inventory.projects(), self._inventory.nodes()
        if (projects, nodes) != self._divided_by:
            self._divided_by = (projects, nodes)
            self._undivided = is_undivided(projects, nodes)
        return self._undivided

    def _forget(self, _: object) -> None:
        self._lost = None
