"""Cached versions, and the room for them."""

from __future__ import annotations

from ....client.data.caches import CACHES
from ....client.listing import cell_text
from ....model.datasets.caches import CachedVersion, CacheList, CacheRoom, Pin
from ..markup import Markup, bar, join, tag
from ..view import Column, NotedView, TableView
from .formats import ago_text, copy_text, short, size_text


class CachesView(TableView[CacheList, CachedVersion]):
    """Cached versions and the room of the cache."""

    def __init__(self, data: CacheList) -> None:
        super().__init__(data, data.items, CACHES, _COLUMNS, "Cached versions")

    @property
    def text(self) -> str:
        """Return the room, then a row for each version."""
        return "\n".join(part for part in (room_text(self.data.room), super().text) if part)

    @property
    def body(self) -> Markup:
        """Return the same with a bar."""
        room = self.data.room
        if not room.capacity:
            return super().body
        line = room_text(room)
        return join(tag("p", bar(line, room.used, room.capacity), " ", line), super().body)


class CachedView(NotedView[CachedVersion]):
    """One cached version after a change, as a line."""

    def __init__(self, data: CachedVersion, note: str) -> None:
        super().__init__(data, CACHES, note=note)


def room_text(room: CacheRoom) -> str:
    """Return how full a cache is; nothing where that is not known."""
    if not room.capacity:
        return ""
    parts = [f"{size_text(room.used)} of {size_text(room.capacity)} used"]
    if room.committed > room.used:
        parts.append(f"{size_text(room.committed)} with what is being fetched")
    parts.append(f"{size_text(room.evictable)} can be cleared")
    parts.append(f"{size_text(room.free)} free on the disk")
    return f"{', '.join(parts)}."


def pin_text(pin: Pin) -> str:
    """Return whose a pin is, until when, and why."""
    until = f" until {cell_text(pin.until)}" if pin.until else ""
    return f"{pin.user}{until}{f' ({pin.why})' if pin.why else ''}"


_COLUMNS: list[Column[CachedVersion]] = [
    Column("DATASET", lambda each: each.dataset, whole=True),
    Column("VERSION", lambda each: short(each.version), whole=True),
    Column("STATE", lambda each: copy_text(each.state, each.done, each.size)),
    Column("FILES", lambda each: f"{each.files:,}"),
    Column("SIZE", lambda each: size_text(each.size), whole=True),
    Column("USED", lambda each: ago_text(each.used)),
    Column("USED BY", lambda each: ", ".join(lease.name for lease in each.leases)),
    Column("PINNED BY", lambda each: ", ".join(map(pin_text, each.pins))),
    Column("VERIFIED", lambda each: ago_text(each.verified)),
]
