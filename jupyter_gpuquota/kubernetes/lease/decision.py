"""Whether to take, renew or await a lease. Pure.

The rules are those of client-go, https://pkg.go.dev/k8s.io/client-go/tools/leaderelection: a lease
has expired once it was seen unchanged for its whole duration by one's own clock, so the clocks of
machines need not agree.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum, auto
from typing import Any

from ..objects.leases import Lease

DURATION = 15.0
"""Seconds for which a lease is valid after it was renewed."""
DEADLINE = 10.0
"""Seconds after its last renewal for which the holder acts."""
RETRY = 2.0
"""Seconds between two attempts."""


class Move(Enum):
    """What to do about a lease."""

    CREATE = auto()
    TAKE = auto()
    RENEW = auto()
    WAIT = auto()


@dataclass(frozen=True, slots=True)
class Sight:
    """A lease as it was read, None if it does not exist, and since when it has been unchanged."""

    lease: Lease | None
    since: float


def seen(before: Sight | None, lease: Lease | None, now: float) -> Sight:
    """Return the sight of a lease that was read now."""
    if before and before.lease and lease and before.lease.spec == lease.spec:
        return Sight(lease, before.since)
    return Sight(lease, now)


def decide(me: str, sight: Sight, now: float) -> Move:
    """Return what a controller does about a lease; it keeps nothing but the lease alive."""
    if sight.lease is None:
        return Move.CREATE
    spec = sight.lease.spec
    if spec.holder_identity == me:
        return Move.RENEW
    if not spec.holder_identity:
        return Move.TAKE
    duration = spec.lease_duration_seconds or DURATION
    return Move.TAKE if now >= sight.since + duration else Move.WAIT


def held(me: str, before: Lease | None, now: datetime) -> dict[str, Any]:
    """Return the spec of a lease that is taken or renewed."""
    spec = before.spec if before else None
    mine = spec is not None and spec.holder_identity == me
    changes = (spec.lease_transitions or 0) + (not mine) if spec else 0
    time = _micro_time(now)
    return {
        "holderIdentity": me,
        "leaseDurationSeconds": int(DURATION),
        "acquireTime": spec.acquire_time if spec and mine else time,
        "renewTime": time,
        "leaseTransitions": changes,
    }


def released(now: datetime) -> dict[str, Any]:
    """Return the spec of a lease that its holder gives back."""
    return {"holderIdentity": "", "leaseDurationSeconds": 1, "renewTime": _micro_time(now)}


def _micro_time(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
