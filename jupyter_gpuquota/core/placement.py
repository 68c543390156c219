"""Decide which devices a session gets.

Fractions are packed onto devices that are shared already, so that whole devices stay free; whole
devices are taken on the node that has the fewest free ones to spare.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from sortedcontainers import SortedList

from ..model.reasons import Reason
from ..model.resources import MILLI, Node, Placement, Share, gpus_text
from .rooms import NodeRoom, Room, fit_mig, fit_part

Allowed = Collection[str] | None
"""The names of the nodes that a session may run on; None for any."""


@dataclass(frozen=True, slots=True)
class Loose:
    """Sum up what is free: in all and of one device in milli-GPU, and whole devices of a node."""

    milli: int
    largest: int
    spare: int


class Pool:
    """Be what is free of all nodes, kept in the order in which devices are chosen."""

    def __init__(self, nodes: Sequence[Node], held: Iterable[Placement] = ()) -> None:
        self.home = nodes[0].name if nodes else "localhost"
        self.nodes = {node.name: NodeRoom(node) for node in nodes}
        self._most = max((d.memory for node in nodes for d in node.devices), default=0)
        for placement in held:
            if found := self.nodes.get(placement.node):
                found.change(placement.slices, -1)
        self._mig = [r for n in self.nodes.values() for r in n.rooms.values() if r.device.mig]
        self._parts: SortedList[tuple[int, str, int]] = SortedList(
            _key(room)
            for node in self.nodes.values()
            for room in node.rooms.values()
            if _part(room)
        )
        self._spare: defaultdict[int, SortedList[str]] = defaultdict(SortedList)
        for node in self.nodes.values():
            self._spare[node.spare].add(node.node.name)
        self._vain: set[tuple[Share, Allowed]] = set()
        self._open: dict[Allowed, list[Room]] = {}
        self._loose: dict[Allowed, Loose] = {}
        self.separate = any(node.separate for node in nodes)

    def find(self, share: Share, allowed: Allowed = None) -> Placement | None:
        """Choose devices for a share, None if none will do. `allowed` must be hashable."""
        if not share.wants_gpu:
            return Placement(node=self.home)
        if (share, allowed) in self._vain:
            return None
        found = next(self._choices(share, allowed), None)
        if found is None:
            self._vain.add((share, allowed))
        return found

    def find_costing(
        self, share: Share, allowed: Allowed, fits: Callable[[int], bool]
    ) -> Placement | None:
        """Choose devices whose cost in milli-GPU fits: memory is dearer on smaller devices."""
        return next((p for p in self._choices(share, allowed) if fits(p.milli)), None)

    def take(self, placement: Placement) -> None:
        """Count a placement as held."""
        self._change(placement, -1)

    def give(self, placement: Placement) -> None:
        """Count a placement as free again."""
        self._vain.clear()
        self._change(placement, 1)

    def least(self, share: Share) -> int:
        """Tell what a share costs at least, in milli-GPU."""
        of_memory = -(-share.memory * MILLI // max(self._most, 1))
        return max(share.milli, of_memory, 10 * share.compute)

    def largest(self, share: Share) -> int:
        """Tell how much is free at most of a device that a share might use, in milli-GPU.

        A device that is free as a whole is no help to more whole ones on another node.
        """
        if not share.devices and any(names for count, names in self._spare.items() if count):
            return MILLI
        return max(0, self._parts[-1][0]) if self._parts else 0

    def loose(self, allowed: Allowed = None) -> Loose:
        """Sum up what is free."""
        if allowed not in self._loose:
            rooms = self.rooms(allowed)
            self._loose[allowed] = Loose(
                milli=sum(max(0, room.milli) for room in rooms),
                largest=max((room.milli for room in rooms), default=0),
                spare=max((room.node.spare for room in rooms), default=0),
            )
        return self._loose[allowed]

    def rooms(self, allowed: Allowed = None) -> Sequence[Room]:
        """List the devices that are given out in parts or whole."""
        if allowed not in self._open:
            nodes = [n for name, n in self.nodes.items() if allowed is None or name in allowed]
            rooms = [room for node in nodes for room in node.rooms.values()]
            self._open[allowed] = [room for room in rooms if room.shareable]
        return self._open[allowed]

    def _choices(self, share: Share, allowed: Allowed) -> Iterator[Placement]:
        if share.mig:
            rooms = (r for r in self._mig if allowed is None or r.node.node.name in allowed)
            yield from (p for room in rooms if (p := fit_mig(share, room)))
            return
        if not share.devices:
            yield from self._in_parts(share, allowed)
        for count in sorted(self._spare):
            if count >= max(1, share.devices):
                for name in self._spare[count]:
                    fits = allowed is None or name in allowed
                    if fits and (placement := self.nodes[name].fit(share)):
                        yield placement

    def _in_parts(self, share: Share, allowed: Allowed) -> Iterator[Placement]:
        for _, name, index in self._parts.irange(minimum=(self.least(share), "", -1)):
            fits = allowed is None or name in allowed
            if fits and (placement := fit_part(share, self.nodes[name].rooms[index])):
                yield placement

    def _change(self, placement: Placement, by: int) -> None:
        node = self.nodes.get(placement.node)
        if node is None or not placement.slices:
            return
        self._loose.clear()
        touched = [room for p in placement.slices if (room := node.rooms.get(p.index))]
        before = node.spare
        for room in touched:
            if _part(room):
                self._parts.remove(_key(room))
        node.change(placement.slices, by)
        self._parts.update(_key(room) for room in touched if _part(room))
        if (after := node.spare) != before:
            self._spare[before].remove(node.node.name)
            self._spare[after].add(node.node.name)


def place(share: Share, pool: Pool, allowed: Allowed = None) -> Placement | Reason:
    """Choose devices for a share, or say why none will do now."""
    return pool.find(share, allowed) or why_not(share, pool, allowed)


def why_not(share: Share, pool: Pool, allowed: Allowed = None) -> Reason:
    """Say why no devices will do: too few are free, or they are free in the wrong places."""
    if share.mig:
        message = f"Every MIG instance of profile {share.mig} is held."
        return Reason(code="NoNodeFits", message=message, hint="It starts when one is free.")
    free = pool.loose(allowed)
    loose = free.milli
    needed = pool.least(share)
    where = "" if allowed is None else f" on {', '.join(sorted(allowed)) or 'no node'}"
    if loose < needed:
        return Reason(
            code="NoNodeFits",
            message=f"{share.text} is asked, {gpus_text(loose)} GPUs are free{where}.",
            hint="It starts when enough is free.",
        )
    if share.devices:
        lacks = f"no node has {share.devices} free whole ones"
    else:
        lacks = f"no single GPU has {share.text} free"
    return Reason(
        code="Fragmented",
        message=f"{gpus_text(loose)} GPUs are free in all{where}, but {lacks}.",
        hint=_remedy(share, free),
    )


def _remedy(share: Share, free: Loose) -> str:
    """Say what would help a session that only fragments of GPUs are free for."""
    largest = free.largest // 10 * 10
    if share.devices:
        best = f"{gpus_text(free.spare * MILLI or largest)} GPU"
    else:
        best = f"{gpus_text(largest)} GPU" if largest else ""
    less = f"Ask for {best}, which would fit now, or wait" if best else "Wait"
    return f"{less} until a neighbour on a shared GPU ends."


def _part(room: Room) -> bool:
    """Tell whether some of a device is held and some is free."""
    return room.shareable and 0 < room.milli < MILLI


def _key(room: Room) -> tuple[int, str, int]:
    index = room.device.index
    return (room.milli, room.node.node.name, -1 if index is None else index)
