"""Draw nodes with the sessions that hold their devices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..model.nodes import DeviceUse, NodeUse, Reading, SliceUse
from ..model.resources import MILLI, Device, Node, Slice
from ..model.sessions import Session


def draw(
    nodes: Sequence[Node], sessions: Sequence[Session], readings: Mapping[str, Reading]
) -> tuple[NodeUse, ...]:
    """Return every node with its devices and who holds what of them."""
    holders: dict[tuple[str, int], list[tuple[Session, Slice]]] = {}
    for session in sessions:
        if placement := session.placement:
            for piece in placement.slices:
                holders.setdefault((placement.node, piece.index), []).append((session, piece))
    return tuple(
        NodeUse(
            name=node.name,
            simulated=node.simulated,
            devices=tuple(
                _device(d, holders.get((node.name, d.index), []), readings.get(d.uuid))
                for d in node.devices
            ),
        )
        for node in nodes
    )


def _device(
    device: Device, holders: list[tuple[Session, Slice]], reading: Reading | None
) -> DeviceUse:
    return DeviceUse(
        device=device,
        slices=tuple(_slice(session, piece) for session, piece in holders),
        free=0 if device.lost else max(0, MILLI - sum(piece.milli for _, piece in holders)),
        utilisation=reading.utilisation if reading else None,
        memory_used=reading.memory_used if reading else None,
    )


def _slice(session: Session, piece: Slice) -> SliceUse:
    usage = session.usage
    return SliceUse(
        session=session.id,
        name=session.spec.name,
        project=session.spec.project,
        owner=session.owner,
        milli=piece.milli,
        memory=piece.memory,
        compute=piece.compute,
        mig=piece.mig,
        used=usage.memory if usage else None,
        over=usage.over if usage else False,
    )
