"""Choose the devices of a session.

Fractions are packed onto devices that are already shared, so that whole devices stay free; whole
devices come from the node with the fewest free ones that suffice.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sortedcontainers import SortedList

from ...model.messages.build import reason, reason_of
from ...model.messages.formats import share_arg
from ...model.reasons import Reason
from ...model.resources import MILLI, Node, Placement, Share
from .capacity import DeviceCapacity, NodeCapacity, fit_mig, fit_part

Allowed = Collection[str] | None
"""The names of the nodes that a session may run on; None for any."""


@dataclass(frozen=True, slots=True)
class Free:
    """What is free: in total and of one device in milli-GPU, and whole devices of one node."""

    milli: int
    largest: int
    spare: int


class Pool:
    """Free capacity of all nodes, in the order in which devices are chosen."""

    def __init__(self, nodes: Sequence[Node], held: Iterable[Placement] = ()) -> None:
        self.home = nodes[0].name if nodes else "localhost"
        self.nodes = {node.name: NodeCapacity(node) for node in nodes}
        self._most = max((d.memory for node in nodes for d in node.devices), default=0)
        for placement in held:
            if found := self.nodes.get(placement.node):
                found.change(placement.slices, -1)
        self._mig = [r for n in self.nodes.values() for r in n.devices.values() if r.device.mig]
        self._parts: SortedList[tuple[int, str, int, str]] = SortedList(
            _key(device)
            for node in self.nodes.values()
            for device in node.devices.values()
            if _part(device)
        )
        self._spare: defaultdict[int, SortedList[str]] = defaultdict(SortedList)
        for node in self.nodes.values():
            self._spare[node.spare].add(node.node.name)
        self._unfit: set[tuple[Share, Allowed]] = set()
        self._shareable: dict[Allowed, list[DeviceCapacity]] = {}
        self._free: dict[Allowed, Free] = {}
        self.separate = any(node.separate for node in nodes)

    def find(self, share: Share, allowed: Allowed = None) -> Placement | None:
        """Return devices for a share, None if it does not fit. `allowed` must be hashable."""
        if not share.wants_gpu:
            return Placement(node=self.home)
        if (share, allowed) in self._unfit:
            return None
        found = next(self._choices(share, allowed), None)
        if found is None:
            self._unfit.add((share, allowed))
        return found

    def find_costing(
        self, share: Share, allowed: Allowed, fits: Callable[[int], bool]
    ) -> Placement | None:
        """Return devices whose cost in milli-GPU fits: memory costs more on smaller devices."""
        return next((p for p in self._choices(share, allowed) if fits(p.milli)), None)

    def allocate(self, placement: Placement) -> None:
        """Count a placement as allocated."""
        self._change(placement, -1)

    def release(self, placement: Placement) -> None:
        """Count a placement as free."""
        self._unfit.clear()
        self._change(placement, 1)

    def least(self, share: Share) -> int:
        """Return the least that a share costs, in milli-GPU."""
        return max(share.milli, self.least_of_each(share))

    def least_of_each(self, share: Share) -> int:
        """Return the least that a share has of each of its devices, in milli-GPU."""
        of_memory = -(-share.memory * MILLI // max(self._most, 1))
        return max(share.portion, of_memory, 10 * share.compute)

    def free(self, allowed: Allowed = None) -> Free:
        """Return what is free."""
        if allowed not in self._free:
            devices = self.devices(allowed)
            self._free[allowed] = Free(
                milli=sum(max(0, device.milli) for device in devices),
                largest=max((device.milli for device in devices), default=0),
                spare=max((device.node.spare for device in devices), default=0),
            )
        return self._free[allowed]

    def devices(self, allowed: Allowed = None) -> Sequence[DeviceCapacity]:
        """Return the devices that are allocated in parts or whole."""
        if allowed not in self._shareable:
            nodes = [n for name, n in self.nodes.items() if allowed is None or name in allowed]
            devices = [device for node in nodes for device in node.devices.values()]
            self._shareable[allowed] = [device for device in devices if device.shareable]
        return self._shareable[allowed]

    def _choices(self, share: Share, allowed: Allowed) -> Iterator[Placement]:
        if share.mig:
            devices = (r for r in self._mig if allowed is None or r.node.node.name in allowed)
            yield from (p for device in devices if (p := fit_mig(share, device)))
            return
        if not share.devices:
            yield from self._in_parts(share, allowed)
        for count in sorted(self._spare):
            if count >= share.count:
                for name in self._spare[count]:
                    fits = allowed is None or name in allowed
                    if fits and (placement := self.nodes[name].fit(share)):
                        yield placement

    def _in_parts(self, share: Share, allowed: Allowed) -> Iterator[Placement]:
        for _, name, _, uuid in self._parts.irange(minimum=(self.least_of_each(share), "")):
            if allowed is not None and name not in allowed:
                continue
            node = self.nodes[name]
            found = node.fit(share) if share.divided else fit_part(share, node.devices[uuid])
            if found:
                yield found

    def _change(self, placement: Placement, by: int) -> None:
        node = self.nodes.get(placement.node)
        if node is None or not placement.slices:
            return
        self._free.clear()
        before = node.spare
        touched = [device for p in placement.slices if (device := node.device_of(p))]
        for device in touched:
            if _part(device):
                self._parts.remove(_key(device))
        node.change(placement.slices, by)
        for device in touched:
            if _part(device):
                self._parts.add(_key(device))
        if (after := node.spare) != before:
            self._spare[before].remove(node.node.name)
            self._spare[after].add(node.node.name)


def place(share: Share, pool: Pool, allowed: Allowed = None) -> Placement | Reason:
    """Return devices for a share, or why it does not fit now."""
    return pool.find(share, allowed) or why_not(share, pool, allowed)


def why_not(share: Share, pool: Pool, allowed: Allowed = None) -> Reason:
    """Return why a share does not fit: too little is free, or it is fragmented."""
    if share.mig:
        return reason("NoNodeFits", "gpus.mig", profile=share.mig)
    if allowed is not None and not allowed:
        return reason("NoNodeFits", "gpus.no_node", share=share_arg(share))
    free = pool.free(allowed)
    args: dict[str, str | int] = {"free": free.milli}
    on = ""
    if allowed:
        on, args["nodes"] = ".on", ",".join(sorted(allowed))
    if free.milli < pool.least(share):
        return reason_of("NoNodeFits", f"gpus.too_few{on}", args | {"share": share_arg(share)})
    form = form_of(share)
    args |= _lacking(share)
    smaller, best = "", _best(share, free)
    if best and pool.find(Share(milli=best), allowed):
        smaller, args["best"] = ".smaller", best
    return reason_of("Fragmented", f"fragmented.{form}{on}{smaller}", args)


def _best(share: Share, free: Free) -> int:
    """Return how much would start now where only fragments of GPUs are free, in milli-GPU."""
    return (free.spare * MILLI or free.largest) if share.milli >= MILLI else free.largest


def form_of(share: Share) -> str:
    """Return which of the words for fragmented GPUs are those of a share."""
    return "parts" if share.divided else "whole" if share.devices else "part"


def _lacking(share: Share) -> Mapping[str, str | int]:
    """Return what no node, or no GPU, has free."""
    if share.divided:
        return {"devices": share.count, "each": share.portion}
    return {"devices": share.devices} if share.devices else {"share": share_arg(share)}


def _part(device: DeviceCapacity) -> bool:
    """Return whether a device is partly allocated."""
    return device.shareable and 0 < device.milli < MILLI


def _key(device: DeviceCapacity) -> tuple[int, str, int, str]:
    of = device.device
    return (device.milli, device.node.node.name, -1 if of.index is None else of.index, of.uuid)
