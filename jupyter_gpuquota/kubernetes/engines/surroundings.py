"""What every engine is given: the API, the versions that it serves, the resources of GPUs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

import msgspec

from ...model.resources import MILLI
from ...model.sessions import Session, SessionSpec
from .. import labels, quantities
from ..api import Api, Fault
from ..namespaces import CLOSED
from ..nodes import ClusterNodes
from ..objects.meta import Object, Record
from ..objects.pods import PodSpec, requested
from ..resources import Resource
from ..shares.provider import PodPatch


class _Version(Record, frozen=True, kw_only=True):
    version: str


class _Group(Record, frozen=True, kw_only=True):
    versions: tuple[_Version, ...] = ()


async def versions(api: Api, group: str) -> tuple[str, ...]:
    """Return the versions of a group of the API, none if it is not installed. Raises Fault."""
    try:
        body = await api.read(f"/apis/{group}")
    except Fault as fault:
        if fault.status not in CLOSED:
            raise
        return ()
    return tuple(each.version for each in msgspec.json.decode(body, type=_Group).versions)


MILLI_RESOURCE = f"{labels.DOMAIN}/gpu-milli"
"""The resource of fractions, in thousandths of a GPU.

Its name does not end in `gpu`: KAI Scheduler counts such resources as whole GPUs.
"""


@dataclass(frozen=True, slots=True)
class GpuResources:
    """The names of the resources by which GPUs are counted: whole ones, and thousandths."""

    whole: str = "nvidia.com/gpu"
    milli: str = MILLI_RESOURCE

    def names(self, amounts: Iterable[str], prefix: str = "") -> tuple[str, ...]:
        """Return those of the names that count GPUs; quotas put a prefix before them."""
        known = set(amounts)
        return tuple(name for name in (prefix + self.milli, prefix + self.whole) if name in known)

    def factor(self, name: str) -> int:
        """Return how many milli-GPU a unit of a resource is, 0 for other resources."""
        return {self.milli: 1, self.whole: MILLI}.get(name, 0)

    def counted(self, amounts: Mapping[str, quantities.Quantity], prefix: str = "") -> int:
        """Return the milli-GPU among amounts of resources."""
        return sum(
            self.factor(name.removeprefix(prefix)) * quantities.units(amount)
            for name, amount in amounts.items()
            if name.startswith(prefix)
        )

    def requested(self, pod: PodSpec) -> int:
        """Return the milli-GPU that a pod requests."""
        return self.counted(requested(pod))


T = TypeVar("T", bound=Object)
T_co = TypeVar("T_co", bound=Object, covariant=True)


class Known(Protocol[T_co]):
    """The objects of one kind in memory, kept up to date."""

    def get(self, namespace: str, name: str) -> T_co | None:
        """Return an object, None if there is none."""

    def values(self, namespace: str = "") -> Sequence[T_co]:
        """Return the objects of a namespace, or of all."""

    def subscribe(
        self, changed: Callable[[frozenset[tuple[str, str]]], None]
    ) -> Callable[[], None]:
        """Call a function with the keys of objects that changed; return what ends this."""


class Caches(Protocol):
    """The objects of the cluster in memory."""

    def cache(self, resource: Resource[T]) -> Known[T]:
        """Return the objects of a kind, which are kept up to date from then on."""


@dataclass(frozen=True, slots=True)
class EngineSettings:
    """What administrators set about engines.

    `queue` and `interactive_queue` name the LocalQueues to use in each namespace; empty: see
    `kueue.queues`. `priorities` are the names of priority classes by kind of session.
    """

    queue: str = ""
    interactive_queue: str = ""
    priorities: Mapping[str, str] = field(default_factory=dict)
    gpus: GpuResources = field(default_factory=GpuResources)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What an engine reads and writes through.

    `sessions` returns all sessions, `request` what the pod of a checked request asks for of GPUs,
    `capacity` the milli-GPU of all nodes, `cluster` the nodes as last read. `namespaces` are those
    of projects where the engine has no objects that tell; empty: all but those of Kubernetes
    itself.
    """

    api: Api
    caches: Caches
    sessions: Callable[[], Sequence[Session]]
    request: Callable[[SessionSpec], PodPatch]
    capacity: Callable[[], int]
    cluster: Callable[[], ClusterNodes] = ClusterNodes
    namespaces: Sequence[str] = ()
    settings: EngineSettings = field(default_factory=EngineSettings)

    def cost(self, spec: SessionSpec) -> int:
        """Return what a checked request costs in quotas, in milli-GPU.

        Quotas know resources only: where a part of a GPU is offered as a whole one, they count it
        as a whole one. Each process has the whole share.
        """
        patch = self.request(spec)
        each = self.settings.gpus.counted(patch.resources) or patch.milli
        return each * spec.processes
