"""Leases (`coordination.k8s.io/v1`)."""

from __future__ import annotations

from .meta import Object, Record


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
