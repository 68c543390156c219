"""Volumes that are attached to a node: the pods that mount them now tie others to it. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ...model.volumes.mounts import Mount
from ..state.attached import Attached
from .facts import Facts
from .modes import short
from .reading import modes_of


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
