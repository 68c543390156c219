"""Takes a lease, keeps it, and gives it back.

The elections of the Kubernetes client are not used: they compare wall clocks, never give a lease
back, and end at a lost connection.

The rules whether to take, renew or await it are those of client-go,
https://pkg.go.dev/k8s.io/client-go/tools/leaderelection: a lease has expired once it was seen
unchanged for its whole duration by one's own clock, so the clocks of machines need not agree.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
import secrets
import socket
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import Enum, auto
from typing import Any

from ...errors import GpuQuotaError
from ..api import Api, Fault
from ..faults import error
from ..objects.cluster import Lease
from ..resources import LEASES

LOST = (
    "This controller is not in charge any more: another one has taken over, or the cluster did not "
    "confirm in time that this one still is."
)


class Leadership:
    """Whether this controller is in charge: always, unless it contests a lease."""

    def __init__(self) -> None:
        self._keeper: LeaseKeeper | None = None
        self._began = False

    def contest(self, keeper: LeaseKeeper) -> None:
        """Let a lease decide."""
        self._keeper = keeper

    async def begin(self) -> None:
        """Return once this controller is in charge. Raises NotAllowed."""
        if self._keeper:
            await self._keeper.acquire()
        self._began = True

    async def end(self) -> None:
        """Let another controller take over at once."""
        if self._keeper:
            await self._keeper.release()

    def lost(self) -> str:
        """Return why this controller may write no more, empty while it may; reads come before."""
        if not (self._keeper and self._began):
            return ""
        return "" if self._keeper.is_held else LOST


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


NAME = "jupyter-gpuquota"
"""The name of the lease, and the namespace where the credentials name none."""

_NOT_FOUND, _CONFLICT, _FORBIDDEN = 404, 409, 403

Clock = Callable[[], float]

log = logging.getLogger(__name__)


def boot_time() -> float:
    """Return seconds of a clock that goes on while the machine sleeps."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


class LeaseKeeper:
    """One controller's hold on a lease, `NAMESPACE/NAME`.

    It is held until `DEADLINE` seconds after the last renewal was sent, when no other controller
    can have taken it yet. Once lost, it is not taken again: the process ends, and another begins
    with a fresh view of the cluster.
    """

    def __init__(
        self,
        api: Api,
        where: str = "",
        clock: Clock = boot_time,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        namespace, _, name = where.rpartition("/")
        self.where = (namespace or api.namespace or NAME, name or NAME)
        self.me = f"{socket.gethostname()}_{secrets.token_hex(4)}"
        self._api = api
        self._clock = clock
        self._sleep = sleep
        self._sight: Sight | None = None
        self._until: float | None = None
        self._keeping: asyncio.Task[None] | None = None

    @property
    def is_held(self) -> bool:
        """Whether this controller may act."""
        return self._until is not None and self._clock() < self._until

    @property
    def holder(self) -> str:
        """Who held the lease when it was last read; empty for nobody."""
        lease = self._sight.lease if self._sight else None
        return (lease.spec.holder_identity or "") if lease else ""

    async def acquire(self) -> None:
        """Return once the lease is held, and keep it. Raises NotAllowed, NotFound."""
        waits_for = ""
        while not await self._attempt():
            if self.holder != waits_for:
                waits_for = self.holder
                log.info("the controller %s is in charge; waiting until it ends", waits_for)
            await self._sleep(RETRY * random.uniform(1.0, 1.2))  # noqa: S311
        log.info("in charge, by the lease %s", "/".join(self.where))
        self._keeping = asyncio.create_task(self._keep())

    async def release(self) -> None:
        """Give the lease back, if it is held: the next controller need not wait for its end."""
        if self._keeping:
            self._keeping.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._keeping
        if self.is_held and self._sight and self._sight.lease:
            self._until = None
            try:
                await self._write(self._sight.lease, released(datetime.now(UTC)))
            except Fault as fault:
                log.warning("the lease could not be given back; it expires: %s", fault)
        self._until = None

    async def _keep(self) -> None:
        while self.is_held:
            await self._sleep(RETRY)
            if not await self._attempt() and self.holder not in ("", self.me):
                self._until = None
        other = self.holder if self.holder != self.me else ""
        log.error(
            "the lease was lost%s", f" to {other}" if other else ": it was not renewed in time"
        )

    async def _attempt(self) -> bool:
        """Read and write the lease; return whether it is held. Raises as `acquire`."""
        began = self._clock()
        try:
            async with asyncio.timeout(DEADLINE / 2):
                lease = await self._step()
        except TimeoutError:
            log.warning("the lease was not renewed: the API server does not answer")
            return False
        except Fault as fault:
            if fault.status in (_FORBIDDEN, _NOT_FOUND) and self._until is None:
                raise _translated(fault) from fault
            if fault.status != _CONFLICT:
                log.warning("the lease was not renewed: %s", fault)
            return False
        if lease is None:
            return False
        self._sight = Sight(lease, began)
        self._until = began + DEADLINE
        return True

    async def _step(self) -> Lease | None:
        """Return the lease as it was written, None if somebody else holds it. Raises Fault."""
        self._sight = seen(self._sight, await self._read(), self._clock())
        lease = self._sight.lease
        move = decide(self.me, self._sight, self._clock())
        if move is Move.WAIT or (self._until is not None and move is not Move.RENEW):
            return None
        spec = held(self.me, lease, datetime.now(UTC))
        if lease is None:
            namespace, name = self.where
            body = {"metadata": {"name": name}, "spec": spec}
            return await self._api.create(LEASES, namespace, body)
        return await self._write(lease, spec)

    async def _read(self) -> Lease | None:
        try:
            return await self._api.get(LEASES, *self.where)
        except Fault as fault:
            if fault.status != _NOT_FOUND:
                raise
            return None

    async def _write(self, lease: Lease, spec: dict[str, Any]) -> Lease:
        """Change a lease in the version that was read; of two controllers one gets a conflict."""
        meta = {"uid": lease.metadata.uid, "resourceVersion": lease.metadata.resource_version}
        return await self._api.patch(LEASES, *self.where, {"metadata": meta, "spec": spec})


def _translated(fault: Fault) -> GpuQuotaError:
    found = error(fault)
    found.hint = (
        "Apply deploy/rbac.yaml of this version, which grants the controller its lease, or set "
        "c.KubernetesConfig.lease."
    )
    return found
