"""What is known about a claim that is to be mounted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ...model.volumes.mounts import Mount
from ..objects.storage import Claim, PersistentVolume
from ..state.attached import Attached
from .modes import short
from .reading import modes_of


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


def tied_to(mount: Mount, facts: Facts) -> frozenset[str] | None:
    """Return the nodes where a claim is mounted that others cannot mount, None for no tie.

    A claim for a single pod ties nobody: while another pod mounts it, it cannot be mounted at all.
    """
    modes = short(modes_of(facts.claim))
    shared = "RWX" in modes or (mount.read_only and "ROX" in modes)
    nodes = frozenset(each.node for each in facts.mounted if each.node)
    return nodes if nodes and not shared and "RWOP" not in modes else None


def attached(
    mounts: Iterable[Mount], known: Mapping[str, Facts], hosts: Mapping[str, str]
) -> tuple[Attached, ...]:
    """Return which volumes tie a session to nodes; `hosts` are the host names of nodes."""
    found = {}
    for mount in mounts:
        facts = known.get(mount.volume)
        nodes = tied_to(mount, facts) if facts else None
        if nodes:
            names = tuple(sorted(nodes))
            on = tuple(hosts.get(name, name) for name in names)
            found[mount.volume] = Attached(mount.volume, names, on, known[mount.volume].home)
    return tuple(found.values())
