"""Free capacity of devices and nodes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice

from ...model.resources import MILLI, Device, Holding, MigInstance, Node, Placement, Share, Slice


@dataclass(slots=True)
class DeviceCapacity:
    """Free capacity of one device: milli-GPU, memory in MiB, compute in %, MIG instances.

    An amount is negative while a stopping session and its successor are both counted.
    """

    node: NodeCapacity
    device: Device
    milli: int
    memory: int
    compute: int
    taken: set[str] = field(default_factory=set)

    @property
    def shareable(self) -> bool:
        """Return whether it is allocated in parts or whole, rather than as MIG instances."""
        return self.device.usable and not self.device.mig

    @property
    def whole(self) -> bool:
        """Return whether all of it is free and can be allocated."""
        return self.milli == MILLI and self.shareable

    @property
    def instances(self) -> list[MigInstance]:
        """Return the free MIG instances."""
        free = self.device.mig if self.device.usable else ()
        return [instance for instance in free if instance.uuid not in self.taken]

    def holds(self, piece: Slice) -> bool:
        """Return whether one more slice fits."""
        return (
            self.milli >= piece.milli
            and self.memory >= piece.memory
            and self.compute >= piece.compute
            and self.node.tolerates(piece)
        )


class NodeCapacity:
    """Free capacity of one node."""

    __slots__ = ("_by_uuid", "_capped", "_plain", "devices", "node", "spare")

    def __init__(self, node: Node) -> None:
        self.node = node
        self.devices = {
            d.uuid: DeviceCapacity(self, d, MILLI, d.memory, 100)
            for d in node.devices
            if d.index is not None
        }
        """By UUID: when a GPU is gone, another one gets its number."""
        self._by_uuid = {
            uuid: device for device in self.devices.values() for uuid in device.device.uuids
        }
        self._capped = self._plain = 0
        self.spare = sum(device.whole for device in self.devices.values())
        """How many whole devices are free."""

    def device_of(self, piece: Slice) -> DeviceCapacity | None:
        """Return the device of a slice, None if the node no longer has it."""
        return self._by_uuid.get(piece.uuid)

    def tolerates(self, piece: Slice) -> bool:
        """Return whether a slice is compatible with those on the node.

        Where the node separates them, sessions that share compute and sessions that share memory
        alone are not placed together (the rule of Alibaba ACK's shared GPUs).
        """
        others = self._plain if piece.compute else self._capped
        return not others or not self.separates(piece)

    def separates(self, piece: Slice) -> bool:
        """Return whether the node keeps a slice apart from those that share in the other way."""
        return self.node.separate and piece.milli < MILLI and not piece.mig

    def change(self, slices: Iterable[Slice], by: int) -> list[DeviceCapacity]:
        """Allocate (`by` -1) or release (`by` 1) slices; return the devices that changed."""
        changed = []
        for piece in slices:
            device = self.device_of(piece)
            if device is None:  # no longer in the inventory
                continue
            self.spare -= device.whole
            device.milli += by * piece.milli
            device.memory += by * piece.memory
            device.compute += by * piece.compute
            if piece.mig:
                (device.taken.discard if by > 0 else device.taken.add)(piece.uuid)
            elif piece.milli < MILLI:
                self._capped -= by * bool(piece.compute)
                self._plain -= by * (not piece.compute)
            self.spare += device.whole
            changed.append(device)
        return changed

    def count_free(self, milli: int) -> int:
        """Return how many devices have at least so much free."""
        if milli == MILLI:
            return self.spare
        return sum(device.shareable and device.milli >= milli for device in self.devices.values())

    def fit(self, share: Share) -> Placement | None:
        """Return devices of this node for a share that needs a GPU, None if it does not fit."""
        if self.spare < share.devices:
            return None
        if share.mig:
            return next((p for r in self.devices.values() if (p := fit_mig(share, r))), None)
        by_fit = sorted(self.devices.values(), key=lambda device: device.milli)
        found = list(islice(filter(None, (_fitting(share, each) for each in by_fit)), share.count))
        if len(found) < share.count:
            return None
        return _placement(self.devices[found[0].uuid], found)


def fit_part(share: Share, device: DeviceCapacity) -> Placement | None:
    """Return a part of one device for a fraction or an amount of memory, None if none fits."""
    piece = _fitting(share, device)
    return _placement(device, [piece]) if piece else None


def fit_mig(share: Share, device: DeviceCapacity) -> Placement | None:
    """Return a MIG instance of one device, None if no free one fits."""
    for instance in device.instances:
        if instance.profile == share.mig:
            piece = Slice(
                index=device.device.index,
                uuid=instance.uuid,
                milli=-(-instance.slices * MILLI // 7),
                memory=instance.memory,
                mig=instance.profile,
            )
            return _placement(device, [piece])
    return None


def slice_of(share: Share, device: Device) -> Slice | None:
    """Return what a share would hold of this device, None if it cannot.

    A fraction holds that fraction of the memory; memory costs its fraction of the device in
    quota, rounded up to a milli-GPU; compute alone never costs more than it takes.
    """
    if not device.usable or device.mig or share.memory > device.memory:
        return None
    # A device may report no memory; then only shares of it fit, not amounts.
    milli = share.portion or (-(-share.memory * MILLI // device.memory) if share.memory else 0)
    memory = share.memory or device.memory * milli // MILLI
    return Slice(
        index=device.index,
        uuid=device.uuid,
        milli=max(milli, 10 * share.compute),
        memory=memory,
        compute=share.compute,
    )


def _fitting(share: Share, device: DeviceCapacity) -> Slice | None:
    """Return what a share would hold of a device, None if it does not fit now."""
    piece = slice_of(share, device.device)
    return piece if piece and device.holds(piece) else None


def _placement(device: DeviceCapacity, pieces: list[Slice]) -> Placement:
    return Placement(
        node=device.node.node.name, slices=tuple(pieces), simulated=device.device.simulated
    )


def cost(share: Share, nodes: Sequence[Node]) -> int:
    """Return the estimated cost of a share that is not placed yet, in milli-GPU.

    Memory and MIG shares cost their part of the device; the cheapest device is assumed.
    """
    if share.milli or not share.wants_gpu:
        return max(share.milli, 10 * share.compute)
    devices = [device for node in nodes for device in node.devices]
    if share.mig:
        found = [i.slices for d in devices for i in d.mig if i.profile == share.mig]
        return -(-min(found) * MILLI // 7) if found else 0
    pieces = [slice_of(share, device) for device in devices]
    return min((piece.milli for piece in pieces if piece), default=0)


def capacity_of(nodes: Iterable[Node]) -> int:
    """Return the milli-GPU of all devices that something can run on."""
    return sum(device.milli for node in nodes for device in node.devices if device.usable)


def shareable(nodes: Iterable[Node], holdings: Iterable[Holding]) -> int:
    """Return the milli-GPU that projects share: all but those of other workloads."""
    return max(0, capacity_of(nodes) - sum(h.placement.milli for h in holdings))
