"""The recommended share of a session, by its peak GPU memory."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from msgspec.structs import replace

from ...model.resources import MILLI, Device, Node, Share, Usage
from ...model.rightsizing import Advice, Verdict
from ...model.sessions import Session

ENOUGH = 3600
"""Seconds of measurement that a recommendation requires."""
_SPARE = 110
"""The recommended memory, in per cent of the peak."""
_STEP = 50
_MEMORY_STEP = 256


def advise(
    session: Session, nodes: Sequence[Node], now: datetime, used: Usage | None = None
) -> Advice:
    """Compare the peak of a session with its share; `used` is measured besides what it notes."""
    if used is not None:
        session = replace(session, usage=used)
    usage, devices = session.usage, _devices(session, nodes)
    if blind := _blind(session, devices):
        return Advice(verdict="unmeasured", message=blind)
    if usage is None or usage.peak is None or usage.since is None:
        text = "Not available: GPU memory is not measured."
        return Advice(verdict="unmeasured", message=text)
    seconds = max(0, int(((session.ended or now) - usage.since).total_seconds()))
    return _compare(session.spec.share, usage.peak, seconds, devices)


def _blind(session: Session, devices: Sequence[Device]) -> str:
    """Return why the needs of a session are unknown, empty if they are known."""
    if not session.spec.share.wants_gpu:
        return "It uses no GPU."
    if devices and all(device.simulated for device in devices):
        return "Not available for simulated GPUs."
    if session.usage is None and session.started is None:
        return "Not measured yet: it has not run."
    if len({device.memory for device in devices}) != 1:
        return "Not available: the GPUs that it may use have different memory sizes."
    return ""


def _compare(share: Share, peak: int, seconds: int, devices: Sequence[Device]) -> Advice:
    size = devices[0].memory
    memory = _memory(share, devices, size)
    enough = _enough(share, -(-peak * _SPARE // 100), devices, size)
    wanted = _memory(enough, devices, size)
    verdict: Verdict = "fits"
    advice = "the share fits."
    if seconds < ENOUGH:
        verdict, advice = "early", f"too early for a recommendation (after {_span(ENOUGH)})."
    elif wanted < memory:
        verdict, advice = "smaller", f"{_text(enough)} would suffice, judging by memory only."
    elif wanted > memory and peak > memory:
        verdict, advice = "larger", f"it exceeds its share; {_text(enough)} would suffice."
    return Advice(
        verdict=verdict,
        message=f"peak {_gib(peak)} of {_gib(memory)} GiB over {_span(seconds)}: {advice}",
        peak=peak,
        memory=memory,
        seconds=seconds,
        share=enough if verdict in ("smaller", "larger") else None,
    )


def _devices(session: Session, nodes: Sequence[Node]) -> list[Device]:
    """Return the devices that a session holds, or those that it may get."""
    devices = [(node.name, device) for node in nodes for device in node.devices]
    if (held := session.placement) is None:
        return [device for _, device in devices]
    return [d for node, d in devices if node == held.node and any(map(d.holds, held.slices))]


def _memory(share: Share, devices: Sequence[Device], size: int) -> int:
    """Return the memory of a share, in MiB."""
    if share.mig:
        found = [i.memory for d in devices for i in d.mig if i.profile == share.mig]
        return min(found, default=0)
    return share.memory or size * share.milli // MILLI


def _enough(share: Share, wanted: int, devices: Sequence[Device], size: int) -> Share:
    """Return the smallest share of the same form with that much memory."""
    if share.mig:
        found = {(i.memory, i.profile) for d in devices for i in d.mig if i.memory >= wanted}
        return Share(mig=min(found)[1]) if found else share
    if share.memory:
        memory = max(_MEMORY_STEP, -(-wanted // _MEMORY_STEP) * _MEMORY_STEP)
        return Share(memory=min(memory, size), compute=share.compute)
    if share.count > 1:
        return Share(milli=max(1, -(-wanted // size)) * MILLI)
    milli = min(MILLI, max(_STEP, -(-wanted * MILLI // (size * _STEP)) * _STEP))
    return Share(milli=milli, compute=share.compute if milli < MILLI else 0)


def _text(share: Share) -> str:
    return share.text.removesuffix("s").removesuffix(" GPU")


def _gib(mib: int) -> str:
    whole, tenth = divmod((mib * 10 + 512) // 1024, 10)
    return f"{whole}.{tenth}" if tenth else str(whole)


def _span(seconds: int) -> str:
    return f"{seconds // 3600} h" if seconds >= 3600 else f"{seconds // 60} min"
