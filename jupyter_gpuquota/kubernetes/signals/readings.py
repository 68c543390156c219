"""Signals of activity from what was observed of a session; pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from ...control.clock import Clock
from ...control.signals.servers import Terminal
from ...core.idle import work
from ...core.idle.decide import Reading
from ...core.idle.policy import Limits
from ...model.resources import Share
from .measured import Measured

NO_METRICS = "No Prometheus is configured that measures it."


PROGRAM_FROM_OUTSIDE = Reading(
    "terminals", "busy", detail="A program started from outside is running."
)


def terminals(
    found: Sequence[Terminal],
    outside: datetime | None,
    clock: Clock,
    behind: timedelta = timedelta(),
) -> Reading:
    """Return the signal of the terminals of a Jupyter Server, and of those from outside.

    The server's clock is `behind` ours.
    """
    times = [terminal.used + behind for terminal in found if terminal.used]
    if len(times) < len(found):
        return Reading("terminals", "unknown", detail="The activity of terminals is not known.")
    if outside:
        times.append(outside)
    if not times:
        return Reading("terminals", "idle", detail="No terminal is open.")
    return Reading("terminals", "idle", last=clock.at(max(times)), detail="No input or output.")


def process(phase: str) -> Reading:
    """Return the signal of a training's command, by the phase of its pod."""
    if not phase:
        return Reading("process", "unknown", detail="Its pod was not found.")
    if phase in ("Succeeded", "Failed"):
        return Reading("process", "idle", detail="Its command has ended.")
    return Reading("process", "busy", detail="Its command is running.")


def cpu(found: Measured | None, limits: Limits) -> Reading | None:
    """Return the signal of the CPU; None where it is not measured: other signals then decide."""
    if found is None or found.cpu is None:
        return None
    return work.cpu(found.cpu, limits.cpu_busy)


def io(found: Measured | None, limits: Limits) -> Reading | None:
    """Return the signal of disks and network; None where neither is measured.

    What a pod receives includes the requests of its pages.
    """
    if found is None or (found.disk is None and found.received is None):
        return None
    rate = work.moved(disks=found.disk or 0, accepted=found.received or 0)
    return work.io(rate, limits.io_busy)


def gpu(share: Share, found: Measured | None, problem: str, limits: Limits) -> Reading:
    """Return the signal of a session's GPUs.

    The exporter measures devices: work on a device that sessions share is not known to be this
    session's, and counts as busy all the same.
    """
    if found is None or found.gpu is None:
        return Reading("gpu", "unknown", detail=problem or "Prometheus has no values of its pod.")
    own = found.gpu_mean if share.devices or share.mig else None
    if found.gpu <= limits.gpu_busy:
        detail = f"Its GPU is {found.gpu} % busy (idle up to {limits.gpu_busy} %)."
        return Reading("gpu", "idle", detail=detail, percent=own)
    if share.devices or share.mig:
        return Reading("gpu", "busy", detail=f"Its GPU is {found.gpu} % busy.", percent=own)
    detail = f"Its GPU is {found.gpu} % busy; by which session is not known."
    return Reading("gpu", "unknown", detail=detail)
