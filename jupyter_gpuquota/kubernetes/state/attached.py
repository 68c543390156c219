"""The nodes to which the volumes of a session are attached, where it has to run then. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ...model.messages.build import message, reason
from ...model.reasons import Reason
from ...model.struct import Message


@dataclass(frozen=True, slots=True)
class Attached:
    """A volume that one node at a time can mount, and the nodes where others mount it now.

    `hosts` are the host names of these nodes, which their pods are selected by. `home`: it is the
    home folder of the session's owner.
    """

    volume: str
    nodes: tuple[str, ...]
    hosts: tuple[str, ...]
    home: bool = False


def mark(found: Iterable[Attached]) -> str:
    """Return what a workload is marked with whose pod may run on such nodes alone."""
    return ";".join(dict.fromkeys(",".join(each.nodes) for each in found))


def why(found: Sequence[Attached], raw: str) -> Reason:
    """Return why a session waits for a node that has its volumes; `raw` is what the cluster said.

    Volumes on different nodes cannot be mounted together until one of them is free.
    """
    first = found[0]
    for each in found[1:]:
        if not set(first.nodes) & set(each.nodes):
            both = {"volume": first.volume, "other": each.volume}
            return reason("VolumePending", "volume.apart", raw=raw, **both)
    key = "volume.home" if first.home else "volume.attached"
    return reason("NoNodeFits", key, raw=raw, **_where(first))


def sentence(each: Attached) -> Message:
    """Return where a request will run as a volume is attached there."""
    return message("preview.home" if each.home else "preview.attached", **_where(each))


def _where(each: Attached) -> dict[str, str]:
    named = {} if each.home else {"volume": each.volume}
    return {"nodes": ",".join(each.nodes), **named}
