"""What is known about a claim that is to be mounted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..objects.storage import Claim, PersistentVolume


@dataclass(frozen=True, slots=True)
class Mounted:
    """A pod that mounts a claim now: what people call it, and its node."""

    name: str
    node: str


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known about a claim that is to be mounted.

    `mounted` are the pods that mount it now, besides those of the session itself. `reachable` are
    the nodes from which it can be used, None for all. `home`: it is the home folder of the session.
    `volume` is what it is bound to, None if that is nothing or may not be read.
    """

    claim: Claim
    mounted: Sequence[Mounted] = ()
    reachable: frozenset[str] | None = None
    home: bool = False
    volume: PersistentVolume | None = None
