"""Keep account of what is free of devices and nodes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from ..model.resources import MILLI, Device, MigInstance, Node, Placement, Share, Slice


@dataclass(slots=True)
class Room:
    """Be what is free of one device: milli-GPU, memory in MiB, compute in %, MIG instances.

    An amount is below zero while a session that leaves and the one that takes its place are
    both counted.
    """

    node: NodeRoom
    device: Device
    milli: int
    memory: int
    compute: int
    taken: set[str] = field(default_factory=set)

    @property
    def shareable(self) -> bool:
        """Tell whether it is given out in parts or whole, rather than as MIG instances."""
        return not self.device.lost and not self.device.mig

    @property
    def whole(self) -> bool:
        """Tell whether nobody holds any of it, and it can be held."""
        return self.milli == MILLI and self.shareable

    @property
    def instances(self) -> list[MigInstance]:
        """List the MIG instances that nobody holds."""
        free = () if self.device.lost else self.device.mig
        return [instance for instance in free if instance.uuid not in self.taken]

    def holds(self, piece: Slice) -> bool:
        """Tell whether there is room for one more slice."""
        return (
            self.milli >= piece.milli
            and self.memory >= piece.memory
            and self.compute >= piece.compute
            and self.node.tolerates(piece)
        )


class NodeRoom:
    """Be what is free of one node."""

    __slots__ = ("_capped", "_plain", "node", "rooms", "spare")

    def __init__(self, node: Node) -> None:
        self.node = node
        self.rooms: dict[int | None, Room] = {
            d.index: Room(self, d, MILLI, d.memory, 100)
            for d in node.devices
            if d.index is not None
        }
        self._capped = self._plain = 0
        self.spare = sum(room.whole for room in self.rooms.values())
        """How many devices are free as a whole."""

    def tolerates(self, piece: Slice) -> bool:
        """Tell whether a slice may stand beside those that are there.

        On a node that is set so, those that share compute and those that share memory alone
        stay apart (the rule of Alibaba ACK's shared GPUs).
        """
        if not self.node.separate or piece.milli >= MILLI or piece.mig:
            return True
        return not (self._plain if piece.compute else self._capped)

    def change(self, slices: Iterable[Slice], by: int) -> list[Room]:
        """Take (`by` -1) or give back (`by` 1) slices; return the rooms that it touched."""
        touched = []
        for piece in slices:
            room = self.rooms.get(piece.index)
            if room is None:  # a device that has gone from the inventory
                continue
            self.spare -= room.whole
            room.milli += by * piece.milli
            room.memory += by * piece.memory
            room.compute += by * piece.compute
            if piece.mig:
                (room.taken.discard if by > 0 else room.taken.add)(piece.uuid)
            elif piece.milli < MILLI:
                self._capped -= by * bool(piece.compute)
                self._plain -= by * (not piece.compute)
            self.spare += room.whole
            touched.append(room)
        return touched

    def fit(self, share: Share) -> Placement | None:
        """Find devices of this node alone for a share that wants a GPU."""
        if share.devices:
            if self.spare < share.devices:
                return None
            whole = [room for room in self.rooms.values() if room.whole]
            return _of_rooms(share, whole[: share.devices])
        if share.mig:
            return next((p for r in self.rooms.values() if (p := fit_mig(share, r))), None)
        by_fit = sorted(self.rooms.values(), key=lambda room: room.milli)
        return next((p for room in by_fit if (p := fit_part(share, room))), None)


def fit_part(share: Share, room: Room) -> Placement | None:
    """Find a part of one device for a fraction or an amount of memory."""
    piece = slice_of(share, room.device)
    return _placement(room, [piece]) if piece and room.holds(piece) else None


def fit_mig(share: Share, room: Room) -> Placement | None:
    """Find a MIG instance of one device."""
    for instance in room.instances:
        if instance.profile == share.mig:
            piece = Slice(
                index=room.device.index,
                uuid=instance.uuid,
                milli=-(-instance.slices * MILLI // 7),
                memory=instance.memory,
                mig=instance.profile,
            )
            return _placement(room, [piece])
    return None


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


def _of_rooms(share: Share, rooms: list[Room]) -> Placement:
    pieces = [slice_of(share, room.device) for room in rooms]
    return _placement(rooms[0], [piece for piece in pieces if piece])


def _placement(room: Room, pieces: list[Slice]) -> Placement:
    return Placement(
        node=room.node.node.name, slices=tuple(pieces), simulated=room.device.simulated
    )
