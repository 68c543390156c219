"""Nodes with the sessions that use their devices."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from ...model.nodes import DeviceUse, NodeUse, Reading, SliceUse
from ...model.resources import Device, Holding, Node, Placement, Slice
from ...model.sessions import Session


def draw(
    nodes: Sequence[Node],
    sessions: Sequence[Session],
    readings: Mapping[str, Reading],
    holdings: Sequence[Holding] = (),
) -> tuple[NodeUse, ...]:
    """Return every node with its devices and the slices of each."""
    held: dict[str, list[tuple[Slice, SliceUse]]] = {}
    for session in sessions:
        if session.placement:
            _add(held, session.placement, partial(_slice, session))
    for holding in holdings:
        _add(held, holding.placement, partial(_other, holding))
    return tuple(
        NodeUse(
            name=node.name,
            simulated=node.simulated,
            devices=tuple(
                _device(d, held.get(node.name, []), readings.get(d.uuid), usable=not node.problem)
                for d in node.devices
            ),
            problem=node.problem,
        )
        for node in nodes
    )


def _add(
    held: dict[str, list[tuple[Slice, SliceUse]]],
    placement: Placement,
    draw_slice: Callable[[Slice], SliceUse],
) -> None:
    drawn = [(piece, draw_slice(piece)) for piece in placement.slices]
    held.setdefault(placement.node, []).extend(drawn)


def _device(
    device: Device,
    held: Sequence[tuple[Slice, SliceUse]],
    reading: Reading | None,
    *,
    usable: bool,
) -> DeviceUse:
    slices = tuple(use for piece, use in held if device.holds(piece))
    free = max(0, device.milli - sum(piece.milli for piece in slices))
    return DeviceUse(
        device=device,
        slices=slices,
        free=free if usable and not device.lost else 0,
        utilisation=reading.utilisation if reading else None,
        memory_used=reading.memory_used if reading else None,
        temperature=reading.temperature if reading else None,
        programs=reading.programs if reading else (),
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


def _other(holding: Holding, piece: Slice) -> SliceUse:
    return SliceUse(
        session="",
        name=holding.name,
        project="",
        owner="",
        milli=piece.milli,
        memory=piece.memory,
        compute=piece.compute,
        mig=piece.mig,
    )
