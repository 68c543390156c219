"""Nodes with the sessions that use their devices."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from msgspec.structs import replace

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
    measured: dict[tuple[str, bool], list[Reading]] = defaultdict(list)
    for reading in readings.values():
        measured[reading.node, reading.mig].append(reading)

    def read(node: Node, device: Device) -> Sequence[Reading]:
        if device.told_apart:
            return [readings[device.uuid]] if device.uuid in readings else []
        return [] if device.lost else measured.get((node.name, bool(device.mig)), [])

    return tuple(
        NodeUse(
            name=node.name,
            simulated=node.simulated,
            devices=tuple(
                _device(d, held.get(node.name, []), read(node, d), usable=not node.problem)
                for d in node.devices
            ),
            problem=node.problem,
            note=node.note,
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
    readings: Sequence[Reading],
    *,
    usable: bool,
) -> DeviceUse:
    used = _used_by_session(readings)
    slices = tuple(_measured(use, used) for piece, use in held if device.holds(piece))
    free = max(0, device.milli - sum(piece.milli for piece in slices))
    whole, told_apart = _together(readings), device.told_apart
    return DeviceUse(
        device=device,
        slices=slices,
        free=free if usable and device.usable else 0,
        utilisation=whole.utilisation,
        memory_used=whole.memory_used,
        temperature=whole.temperature,
        programs=whole.programs if told_apart else (),
        gpus=() if told_apart else tuple(readings),
    )


def _together(readings: Sequence[Reading]) -> Reading:
    """Return the mean utilisation of GPUs, the sum of their memory, and the highest temperature."""
    percents = [each.utilisation for each in readings if each.utilisation is not None]
    used = [each.memory_used for each in readings if each.memory_used is not None]
    degrees = [each.temperature for each in readings if each.temperature is not None]
    return Reading(
        utilisation=round(sum(percents) / len(percents)) if percents else None,
        memory_used=sum(used) if used else None,
        temperature=max(degrees, default=None),
        programs=tuple(program for each in readings for program in each.programs),
    )


def _used_by_session(readings: Sequence[Reading]) -> Mapping[str, int]:
    """Map each session to the MiB that its programs hold, where that is known of all of them."""
    found: dict[str, int | None] = {}
    for program in (each for reading in readings for each in reading.programs):
        before = found.get(program.session, 0)
        if before is None or program.memory is None:
            found[program.session] = None
        else:
            found[program.session] = before + program.memory
    return {session: mib for session, mib in found.items() if mib is not None}


def _measured(use: SliceUse, used: Mapping[str, int]) -> SliceUse:
    """Return a slice with what its session's programs hold, unless the session says it itself."""
    if use.used is not None or use.session not in used:
        return use
    return replace(use, used=used[use.session])


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
