"""Decide which devices a session gets.

Fractions are packed onto devices that are shared already, so that whole devices stay free; whole
devices are taken on the node that has the fewest free ones to spare.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ..model.reasons import Reason
from ..model.resources import (
    MILLI,
    Device,
    MigInstance,
    Node,
    Placement,
    Share,
    Slice,
    gpus_text,
)


@dataclass(slots=True)
class Room:
    """Be what is free of one device: milli-GPU, memory in MiB, compute in %, MIG instances."""

    node: str
    device: Device
    milli: int
    memory: int
    compute: int
    mig: tuple[MigInstance, ...]

    @property
    def whole(self) -> bool:
        """Tell whether nobody holds any of it, and it can be held."""
        return self.milli == MILLI and not self.device.lost and not self.device.mig


def rooms(nodes: Iterable[Node], placements: Iterable[Placement]) -> list[Room]:
    """Subtract what placements hold from the devices of the nodes."""
    held: dict[tuple[str, int], list[Slice]] = {}
    for placement in placements:
        for piece in placement.slices:
            held.setdefault((placement.node, piece.index), []).append(piece)
    return [
        _room(node.name, device, held.get((node.name, device.index), []))
        for node in nodes
        for device in node.devices
    ]


def _room(node: str, device: Device, pieces: list[Slice]) -> Room:
    taken = {piece.uuid for piece in pieces if piece.mig}
    return Room(
        node=node,
        device=device,
        milli=max(0, MILLI - sum(piece.milli for piece in pieces)),
        memory=max(0, device.memory - sum(piece.memory for piece in pieces)),
        compute=max(0, 100 - sum(piece.compute for piece in pieces)),
        mig=tuple(instance for instance in device.mig if instance.uuid not in taken),
    )


def slice_of(share: Share, device: Device) -> Slice | None:
    """Say what a share below or equal to one device would hold of this one, None if it cannot.

    A fraction holds that fraction of the memory; memory costs its fraction of the device in
    quota, rounded up to a milli-GPU; compute alone never costs more than it takes.
    """
    if device.lost or device.mig or share.memory > device.memory:
        return None
    milli = min(MILLI, share.milli) or -(-share.memory * MILLI // device.memory)
    memory = share.memory or device.memory * milli // MILLI
    return Slice(
        index=device.index,
        uuid=device.uuid,
        milli=max(milli, 10 * share.compute),
        memory=memory,
        compute=share.compute,
    )


def place(share: Share, free: list[Room], local: str = "") -> Placement | Reason:
    """Choose devices for a share, or say why none will do now.

    `local` is the node for a session that needs no GPU.
    """
    if not share.wants_gpu:
        return Placement(node=local or (free[0].node if free else "localhost"))
    if share.devices:
        return _place_whole(share, free)
    return _place_mig(share, free) if share.mig else _place_part(share, free)


def _place_whole(share: Share, free: list[Room]) -> Placement | Reason:
    by_node: dict[str, list[Room]] = {}
    for room in free:
        if room.whole:
            by_node.setdefault(room.node, []).append(room)
    wanted = share.devices
    enough = [found for found in by_node.values() if len(found) >= wanted]
    if enough:
        best = min(enough, key=len)[:wanted]
        pieces = [slice_of(share, room.device) for room in best]
        return _placement(best[0], [piece for piece in pieces if piece])
    loose = sum(room.milli for room in free if not room.device.lost and not room.device.mig)
    if loose >= share.milli:
        return Reason(
            code="Fragmented",
            message=f"{gpus_text(loose)} GPUs are free in all, "
            f"but no node has {wanted} free whole ones.",
            hint="Ask for fewer, or wait until a neighbour on a shared GPU ends.",
        )
    return _full(share, loose)


def _place_part(share: Share, free: list[Room]) -> Placement | Reason:
    fits: list[tuple[bool, int, Room, Slice]] = []
    for room in free:
        piece = slice_of(share, room.device)
        if piece and _holds(room, piece):
            fits.append((room.whole, room.milli - piece.milli, room, piece))
    if fits:
        spare = {node: sum(r.whole for r in free if r.node == node) for node in _names(free)}
        _, _, room, piece = min(fits, key=lambda fit: (*fit[:2], spare[fit[2].node]))
        return _placement(room, [piece])
    loose = sum(room.milli for room in free if not room.device.lost and not room.device.mig)
    needed = share.milli or min(
        (piece.milli for r in free if (piece := slice_of(share, r.device))), default=0
    )
    if needed and loose >= needed:
        return Reason(
            code="Fragmented",
            message=f"{gpus_text(loose)} GPUs are free in all, but no single GPU has "
            f"{share.text} free.",
            hint="Ask for less, or wait until a neighbour on a shared GPU ends.",
        )
    return _full(share, loose)


def _place_mig(share: Share, free: list[Room]) -> Placement | Reason:
    for room in free:
        for instance in room.mig:
            if instance.profile == share.mig and not room.device.lost:
                piece = Slice(
                    index=room.device.index,
                    uuid=instance.uuid,
                    milli=-(-instance.slices * MILLI // 7),
                    memory=instance.memory,
                    mig=instance.profile,
                )
                return _placement(room, [piece])
    return Reason(
        code="NoNodeFits",
        message=f"Every MIG instance of profile {share.mig} is held.",
        hint="It starts when one is free.",
    )


def _holds(room: Room, piece: Slice) -> bool:
    return (
        room.milli >= piece.milli and room.memory >= piece.memory and room.compute >= piece.compute
    )


def _names(free: list[Room]) -> set[str]:
    return {room.node for room in free}


def _placement(room: Room, pieces: list[Slice]) -> Placement:
    return Placement(node=room.node, slices=tuple(pieces), simulated=room.device.simulated)


def _full(share: Share, loose: int) -> Reason:
    return Reason(
        code="NoNodeFits",
        message=f"{share.text} is asked, {gpus_text(loose)} GPUs are free.",
        hint="It starts when enough is free.",
    )
