"""Fluid (`data.fluid.io/v1alpha1`): copies on nodes of what is cached on a claim.

A version on a claim is verified; Fluid may hold it, or a part of it, in memory or on disks of
nodes. A load that is `Complete` is not a copy: some engines end it with half of the data, or none
(https://github.com/fluid-cloudnative/fluid/issues/633, …/1460). So only `cacheStates` count, which
are texts for people, and missing where an engine does not know.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import msgspec

from ..api import Api, Fault
from ..builders.datasets import near_claim
from ..labels import MANAGED_BY, MANAGER
from ..objects.meta import Object, Record
from ..quantities import exact
from ..resources import Resource
from .marks import Copy

GROUP, VERSION = "data.fluid.io", "v1alpha1"

T = TypeVar("T", bound=Object)

_NOT_FOUND = 404
_PERCENT = re.compile(r"(\d+(?:\.\d+)?)\s*%")
_AMOUNT = re.compile(r"(\d+(?:\.\d+)?)\s*([KMGTPE]i?)?B?")


class DatasetStatus(Record, frozen=True, kw_only=True):
    """What Fluid says of a Dataset; all amounts are texts."""

    phase: str = ""
    ufs_total: str = ""
    cache_states: Mapping[str, str] = msgspec.field(default_factory=dict)


class FluidDataset(Object, frozen=True, kw_only=True):
    """A Dataset of Fluid."""

    status: DatasetStatus = DatasetStatus()


class LoadStatus(Record, frozen=True, kw_only=True):
    """What Fluid says of a load."""

    phase: str = ""


class DataLoad(Object, frozen=True, kw_only=True):
    """A load of Fluid."""

    status: LoadStatus = LoadStatus()


DATASETS = Resource(GROUP, VERSION, "datasets", "Dataset", FluidDataset)
LOADS = Resource(GROUP, VERSION, "dataloads", "DataLoad", DataLoad)


@dataclass(frozen=True, slots=True)
class Near:
    """How much of a version nodes hold.

    `share` is from 0 to 1 and `held` in bytes, None where Fluid does not say. `mounted`: pods can
    mount it. `loaded`: Fluid calls its load complete, `failed`: it calls it failed.
    """

    share: float | None = None
    held: int | None = None
    mounted: bool = False
    loaded: bool = False
    failed: bool = False

    @property
    def is_whole(self) -> bool:
        """Whether all of it is on nodes, by what Fluid says it holds."""
        return self.share is not None and self.share >= 1


class Fluid:
    """Lets Fluid load versions from a claim; `runtime` is the kind of its engine, with its spec."""

    def __init__(self, api: Api, runtime: str, spec: Mapping[str, Any]) -> None:
        self._api = api
        self._spec = dict(spec)
        plural = f"{runtime.lower()}s"
        self._runtimes = Resource(GROUP, VERSION, plural, runtime, Object)

    async def load(self, namespace: str, claim: str, copy: Copy) -> None:
        """Let Fluid load a version, unless it does. Raises Fault."""
        for resource, manifest in self.manifests(namespace, claim, copy):
            try:
                await self._api.create(resource, namespace, manifest)
            except Fault as fault:
                if fault.reason != "AlreadyExists":
                    raise

    async def near(self, namespace: str, copy: Copy) -> Near:
        """Return how much of a version nodes hold now. Raises Fault."""
        name = near_claim(*copy)
        dataset = await self._find(DATASETS, namespace, name)
        load = await self._find(LOADS, namespace, name)
        # Fluid removes loads some time after their end, if it is told to.
        return near_of(
            dataset.status if dataset else DatasetStatus(), load.status if load else LoadStatus()
        )

    async def remove(self, namespace: str, copy: Copy) -> None:
        """Let Fluid drop a version: it has no other way to evict. Raises Fault."""
        kinds: tuple[Resource[Any], ...] = (LOADS, DATASETS, self._runtimes)
        for resource in kinds:
            try:
                await self._api.delete(resource, namespace, near_claim(*copy))
            except Fault as fault:
                if fault.status != _NOT_FOUND:
                    raise

    async def _find(self, resource: Resource[T], namespace: str, name: str) -> T | None:
        try:
            return await self._api.get(resource, namespace, name)
        except Fault as fault:
            if fault.status != _NOT_FOUND:
                raise
            return None

    def manifests(
        self, namespace: str, claim: str, copy: Copy
    ) -> list[tuple[Resource[Any], dict[str, Any]]]:
        """Return the objects that let Fluid load the tree of a version."""
        name, (dataset, version) = near_claim(*copy), copy
        mount = {"mountPoint": f"pvc://{claim}/{dataset}/{version}/tree", "name": dataset}
        specs: tuple[tuple[Resource[Any], dict[str, Any]], ...] = (
            (DATASETS, {"mounts": [{**mount, "readOnly": True}], "accessModes": ["ReadOnlyMany"]}),
            (self._runtimes, self._spec),
            (LOADS, {"dataset": {"name": name, "namespace": namespace}, "loadMetadata": True}),
        )
        meta = {"name": name, "namespace": namespace, "labels": {MANAGED_BY: MANAGER}}
        return [
            (each, {"apiVersion": each.api_version, "kind": each.kind, "metadata": meta, "spec": s})
            for each, s in specs
        ]


def near_of(dataset: DatasetStatus, load: LoadStatus) -> Near:
    """Return what Fluid says it holds; what cannot be read is unknown."""
    states = dataset.cache_states
    return Near(
        share=_share(states.get("cachedPercentage", "")),
        held=_bytes(states.get("cached", "")),
        mounted=dataset.phase == "Bound",
        loaded=load.phase == "Complete",
        failed="Failed" in (load.phase, dataset.phase),
    )


def _share(text: str) -> float | None:
    found = _PERCENT.fullmatch(text.strip())
    return float(found[1]) / 100 if found else None


def _bytes(text: str) -> int | None:
    found = _AMOUNT.fullmatch(text.strip())
    return int(exact(f"{found[1]}{_suffix(found[2] or '')}")) if found else None


def _suffix(unit: str) -> str:
    """Return a unit as a quantity has it."""
    return "k" if unit == "K" else unit
