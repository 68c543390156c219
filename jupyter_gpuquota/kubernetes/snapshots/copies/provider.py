"""What a way of copying claims has to do; each module beside this one has one way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from ...labels import MANAGED_BY, MANAGER
from ...objects.meta import Meta
from ..labels import SNAPSHOT
from ..order import Order, Taken
from ..plan import Batch


@dataclass(frozen=True, slots=True, kw_only=True)
class Copy:
    """The copy of a claim as the cluster has it. `size` in bytes, 0 if the driver does not say."""

    namespace: str
    name: str
    order: str
    size: int = 0
    is_ready: bool = False
    is_going: bool = False
    created: datetime | None = None
    finalizers: Sequence[str] = ()

    @property
    def handle(self) -> str:
        """The copy as manifests name it."""
        return f"{self.namespace}/{self.name}"


def copy_of(meta: Meta, size: int, *, is_ready: bool) -> Copy:
    """Return the copy that an object with this metadata is."""
    return Copy(
        namespace=meta.namespace,
        name=meta.name,
        order=meta.labels.get(SNAPSHOT, ""),
        size=size,
        is_ready=is_ready,
        is_going=meta.deletion_timestamp is not None,
        created=meta.creation_timestamp,
        finalizers=meta.finalizers,
    )


class Provider(Protocol):
    """A way of copying claims. Whatever asks the cluster may raise Fault."""

    async def take(self, order: Order, batch: Batch) -> list[Taken]:
        """Copy the claims of a batch; go on with what an earlier try has begun. Raises NotTaken."""

    async def drop(self, order: Order, batch: Batch) -> None:
        """Delete what a try has left that has failed."""

    async def find(self, namespace: str, name: str) -> Copy | None:
        """Return a copy by its name, None if it is gone."""

    async def copies(self, namespace: str, order: str = "") -> Sequence[Copy]:
        """Return the copies in a namespace, or those of an order."""

    async def remove(self, namespace: str, order: str) -> None:
        """Begin to remove what was made for an order; what is gone already is fine."""

    def source(self, name: str) -> Mapping[str, str]:
        """Return the `dataSource` of a claim that is filled from a copy."""


def selector(order: str = "") -> str:
    """Return what selects everything that was made for an order, or for any."""
    return f"{SNAPSHOT}={order}" if order else f"{MANAGED_BY}={MANAGER},{SNAPSHOT}"
