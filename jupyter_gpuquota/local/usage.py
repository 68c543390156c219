"""Measure what sessions use of their GPUs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime

import msgspec

from ..model.reasons import Reason
from ..model.sessions import Session, Usage
from . import processes
from .inventory import DeviceInventory

_WORTH = 256
"""MiB that a peak rises by before it is written down again."""


def measured(sessions: Iterable[Session], inventory: DeviceInventory) -> Iterator[Session]:
    """Yield the sessions that hold devices and whose use, or whose devices, have changed."""
    holders = [s for s in sessions if s.placement and s.placement.slices]
    if not holders:
        return
    owners = processes.census()
    for before in holders:
        usage = usage_of(before, inventory.memory, owners)
        if before.usage:
            usage = _with_peak(usage, before.usage)
            if msgspec.structs.replace(usage, at=before.usage.at) == before.usage:
                usage = before.usage  # an older time alone is no news
        after = msgspec.structs.replace(before, usage=usage, reason=reason_of(before, inventory))
        if after != before:
            yield after


def higher(before: Session, after: Session) -> bool:
    """Tell whether a peak has risen by so much that it is worth keeping on disk."""
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
    """Say that a running session has lost a device; else keep the reason that it has."""
    if session.state != "running" or session.placement is None:
        return session.reason
    held = {piece.index for piece in session.placement.slices}
    lost = [
        device.index
        for node in inventory.nodes
        for device in node.devices
        if node.name == session.placement.node and device.index in held and device.lost
    ]
    if not lost:
        return None
    return Reason(
        code="DeviceLost",
        message=f"The driver no longer answers for GPU {', '.join(map(str, lost))}.",
        hint="Save what you can, stop the session, and tell an admin.",
    )


def usage_of(
    session: Session, memory: Mapping[tuple[str, int], int | None], owners: Mapping[int, str]
) -> Usage:
    """Sum the GPU memory that a session's processes hold.

    It is unknown where the driver does not tell one of its processes, or names processes that
    are nobody's here: inside a container it counts them by the host's numbers.
    """
    placement = session.placement
    own = [used for (_, pid), used in memory.items() if owners.get(pid) == session.id]
    strangers = any(pid not in owners for _, pid in memory)
    now = datetime.now(UTC)
    if placement is None or None in own or (not own and strangers):
        return Usage(at=now)
    total = sum(used for used in own if used is not None)
    over = total > sum(p.memory for p in placement.slices)
    return Usage(at=now, memory=total, over=over, peak=total, since=now)
