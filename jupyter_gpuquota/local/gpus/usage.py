"""Measure the GPU memory that sessions use."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime

import msgspec

from ...model.messages.build import reason
from ...model.reasons import Reason
from ...model.resources import Usage, device_text
from ...model.sessions import Session
from .inventory import DeviceInventory

_WORTH = 256
"""MiB by which a peak must rise before it is stored again."""


def measured(
    sessions: Iterable[Session],
    inventory: DeviceInventory,
    owners_of: Callable[[], Mapping[int, str]],
) -> Iterator[Session]:
    """Yield the sessions with devices whose use, or whose devices, have changed."""
    holders = [s for s in sessions if s.placement and s.placement.slices]
    if not holders:
        return
    owners = owners_of()
    for before in holders:
        usage = usage_of(before, inventory, owners)
        if before.usage:
            usage = _with_peak(usage, before.usage)
            if msgspec.structs.replace(usage, at=before.usage.at) == before.usage:
                usage = before.usage  # nothing but the time has changed
        after = msgspec.structs.replace(before, usage=usage, reason=reason_of(before, inventory))
        if after != before:
            yield after


def held_by(session: Session) -> list[str]:
    """Return the UUIDs of the real devices, or MIG instances, that a session holds."""
    placement = session.placement
    if placement is None or placement.simulated:
        return []
    return [piece.uuid for piece in placement.slices]


def higher(before: Session, after: Session) -> bool:
    """Return whether a peak has risen enough to be stored."""
    if after.usage is None or after.usage.peak is None:
        return False
    if before.usage is None or before.usage.peak is None:
        return True
    return after.usage.peak // _WORTH > before.usage.peak // _WORTH


def _with_peak(usage: Usage, before: Usage) -> Usage:
    known = [peak for peak in (before.peak, usage.memory) if peak is not None]
    return msgspec.structs.replace(
        usage, peak=max(known, default=None), since=before.since or usage.since
    )


def reason_of(session: Session, inventory: DeviceInventory) -> Reason | None:
    """Return the reason for a lost device of a running session, else the reason it has."""
    if session.state != "running" or session.placement is None:
        return session.reason
    there = {
        uuid
        for node in inventory.nodes
        for device in node.devices
        if node.name == session.placement.node and not device.lost
        for uuid in device.uuids
    }
    lost = [piece for piece in session.placement.slices if piece.uuid not in there]
    if not lost:
        return None
    return reason("DeviceLost", "exit.device_lost", devices=",".join(map(device_text, lost)))


def usage_of(session: Session, inventory: DeviceInventory, owners: Mapping[int, str]) -> Usage:
    """Sum the GPU memory that a session's processes hold.

    It is unknown where the driver does not report that of one of them, or lists processes of which
    any may be the session's.
    """
    placement = session.placement
    own = [used for (_, pid), used in inventory.memory.items() if owners.get(pid) == session.id]
    now = datetime.now(UTC)
    if placement is None or None in own or (not own and inventory.hidden):
        return Usage(at=now)
    total = sum(used for used in own if used is not None)
    over = total > sum(p.memory for p in placement.slices)
    return Usage(at=now, memory=total, over=over, peak=total, since=now)
