"""What ResourceQuotas allow in each namespace. Pure."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import msgspec

from ....model.messages.build import reason
from ....model.quota import Project
from ....model.reasons import Reason
from ...objects.cluster import ResourceQuota
from ...quantities import units
from ..explain import Account, over_quota
from ..extras import ANNOTATION, extras_of
from ..surroundings import GpuResources

REQUESTS = "requests."
"""What is put before the names of extended resources: only their requests can be limited."""


@dataclass(frozen=True)
class NamespaceQuota:
    """The ResourceQuotas of one namespace that limit GPUs; each of them must be kept."""

    namespace: str
    quotas: tuple[ResourceQuota, ...]
    gpus: GpuResources

    @property
    def first(self) -> ResourceQuota:
        """The one that administrators change."""
        return self.quotas[0]

    @property
    def names(self) -> tuple[str, ...]:
        """The GPU resources that are limited."""
        found = {name for quota in self.quotas for name in _limited(quota, self.gpus)}
        return tuple(sorted(name.removeprefix(REQUESTS) for name in found))

    @property
    def quota(self) -> int:
        """The most that may be requested, in milli-GPU."""
        return sum(self.gpus.factor(name) * self.hard(name) for name in self.names)

    @property
    def used(self) -> int:
        """What is requested by pods that have not ended, in milli-GPU."""
        return sum(self.gpus.factor(name) * self.in_use(name) for name in self.names)

    def hard(self, name: str) -> int:
        """Return the lowest limit of a resource, in its units."""
        key = REQUESTS + name
        return min(units(q.spec.hard[key]) for q in self.quotas if key in q.spec.hard)

    def in_use(self, name: str) -> int:
        """Return what is requested of a resource, in its units."""
        used = (q.status.used.get(REQUESTS + name, 0) for q in self.quotas)
        return max(map(units, used), default=0)

    @property
    def revision(self) -> str:
        """The revision of the settings."""
        parts = [
            (q.metadata.name, q.spec, q.metadata.annotations.get(ANNOTATION, ""))
            for q in self.quotas
        ]
        return hashlib.sha256(msgspec.json.encode(parts)).hexdigest()[:16]

    def project(self) -> Project:
        """Return the project: all of its limit is guaranteed as far as the quotas go."""
        extras = extras_of(self.first)
        return Project(
            name=self.namespace,
            quota=self.quota,
            limit=self.quota,
            weight=0,
            node_affinity=extras.node_affinity,
            interactive_duration=extras.interactive_duration,
            preemptible=(),
            revision=self.revision,
        )

    def refusal(self, requested: Mapping[str, str], *, raw: str = "") -> Reason | None:
        """Return why the quota refuses a pod that requests these units of resources."""
        for name, amount in requested.items():
            if name not in self.names:
                continue
            factor = self.gpus.factor(name)
            hard, used = factor * self.hard(name), factor * self.in_use(name)
            account = Account(self.namespace, hard, used, limit=hard)
            if why := over_quota(account, factor * units(amount)):
                return msgspec.structs.replace(why, raw=raw)
        return None

    def forbids(self, requested: Mapping[str, str]) -> Reason | None:
        """Return why the quota would refuse a pod even if nothing else ran."""
        for name, amount in requested.items():
            if name in self.names and units(amount) > self.hard(name):
                factor = self.gpus.factor(name)
                return reason(
                    "OverLimit",
                    "quota.limit",
                    project=self.namespace,
                    used=0,
                    limit=factor * self.hard(name),
                    more=factor * units(amount),
                    missing=factor * (units(amount) - self.hard(name)),
                )
        return None


def find_quotas(
    quotas: Iterable[ResourceQuota], gpus: GpuResources
) -> Mapping[str, NamespaceQuota]:
    """Return the quotas of GPUs of each namespace that has any, in the order of the names."""
    found: dict[str, list[ResourceQuota]] = defaultdict(list)
    for each in sorted(quotas, key=lambda quota: quota.key):
        if _limited(each, gpus):
            found[each.metadata.namespace].append(each)
    return {name: NamespaceQuota(name, tuple(own), gpus) for name, own in found.items()}


def _limited(quota: ResourceQuota, gpus: GpuResources) -> tuple[str, ...]:
    return gpus.names(quota.spec.hard, REQUESTS)
