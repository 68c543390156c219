"""Nodes, namespaces and quotas."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from .meta import Condition, Object, Record


class LeaseSpec(Record, frozen=True, kw_only=True):
    """Who holds a lease; times are text, as they are only compared and shown."""

    holder_identity: str | None = None
    lease_duration_seconds: int | None = None
    acquire_time: str | None = None
    renew_time: str | None = None
    lease_transitions: int | None = None


class Lease(Object, frozen=True, kw_only=True):
    """A lease."""

    spec: LeaseSpec = LeaseSpec()


Quantities = Mapping[str, str | int]
"""Amounts of resources, as quantities."""


class Taint(Record, frozen=True, kw_only=True):
    """A taint of a node."""

    key: str
    value: str = ""
    effect: str = ""


class NodeSpec(Record, frozen=True, kw_only=True):
    """What may run on a node."""

    unschedulable: bool = False
    taints: tuple[Taint, ...] = ()


class NodeStatus(Record, frozen=True, kw_only=True):
    """What a node has."""

    capacity: Quantities = msgspec.field(default_factory=dict)
    allocatable: Quantities = msgspec.field(default_factory=dict)
    conditions: tuple[Condition, ...] = ()


class KubeNode(Object, frozen=True, kw_only=True):
    """A node of the cluster."""

    spec: NodeSpec = NodeSpec()
    status: NodeStatus = NodeStatus()


class Namespace(Object, frozen=True, kw_only=True):
    """A namespace."""


class ScopeExpression(Record, frozen=True, kw_only=True):
    """A condition on what a ResourceQuota counts."""

    scope_name: str
    operator: str
    values: tuple[str, ...] = ()


class ScopeSelector(Record, frozen=True, kw_only=True):
    """Conditions on what a ResourceQuota counts, which must all hold."""

    match_expressions: tuple[ScopeExpression, ...] = ()


class QuotaSpec(Record, frozen=True, kw_only=True):
    """The limits of a ResourceQuota, and what it counts if not everything."""

    hard: Quantities = msgspec.field(default_factory=dict)
    scopes: tuple[str, ...] = ()
    scope_selector: ScopeSelector = ScopeSelector()


class QuotaStatus(Record, frozen=True, kw_only=True):
    """The limits in force, and what is used of them."""

    hard: Quantities = msgspec.field(default_factory=dict)
    used: Quantities = msgspec.field(default_factory=dict)


class ResourceQuota(Object, frozen=True, kw_only=True):
    """A ResourceQuota."""

    spec: QuotaSpec = QuotaSpec()
    status: QuotaStatus = QuotaStatus()


class ConfigMap(Object, frozen=True, kw_only=True):
    """A ConfigMap."""

    data: Mapping[str, str] = msgspec.field(default_factory=dict)
