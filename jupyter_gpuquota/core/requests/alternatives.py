"""Smaller shares and another kind, for when what is requested cannot be had now."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import msgspec

from ...errors import GpuQuotaError
from ...model.previews import Preview
from ...model.resources import MILLI, Share
from ...model.sessions import SessionRequest
from ..fields import FieldReader
from .shares import read_share
from .specs import Facts, project_of

_SHARE = {"gpu", "gpu_memory"}
"""The fields for the size of a share."""


def smaller(share: Share, most: int | None = None, cards: Collection[int] = ()) -> Iterator[Share]:
    """Yield smaller shares of the same form, of at most `most` GPUs, the largest first.

    `cards` are the sizes of GPUs in MiB: the whole memory of one may be the nearest.
    """
    if share.mig:
        return
    count = share.count - 1
    for fewer in range(count if most is None else min(count, most), 0, -1):
        yield Share(milli=fewer * MILLI)
    parts = (750, 500, 250, 100)
    if share.memory:
        sizes = {share.memory * part // MILLI for part in parts}
        sizes |= {mib for mib in cards if mib < share.memory}
        ordered = sorted(sizes - {0}, reverse=True)
        yield from (msgspec.structs.replace(share, memory=mib) for mib in ordered)
    else:
        limit = min(share.milli, MILLI)
        yield from (Share(milli=part, compute=share.compute) for part in parts if part < limit)


def allowed(request: SessionRequest, facts: Facts, error: GpuQuotaError) -> Share | None:
    """Return the largest allowed share below the requested one.

    None if anything but the size of the share is invalid.
    """
    reader = FieldReader()
    share = read_share(request, reader)
    project = project_of(request, facts)
    if reader.errors or project is None or not {field.field for field in error.fields} <= _SHARE:
        return None
    kind, group, nodes = request.kind, request.node_type, facts.nodes
    most = max((sum(d.count for d in node.devices) for node in nodes), default=0)
    cards = {device.memory for node in nodes for device in node.devices}
    fits = ((s, facts.fits(s, kind, group, nodes, project)) for s in smaller(share, most, cards))
    return next((share for share, fit in fits if not fit.errors), None)


def preemptible(request: SessionRequest, found: Preview) -> SessionRequest | None:
    """Return the same request as spot, which may start while this one is queued or over quota.

    None if another kind would not help.
    """
    fields = {problem.field for problem in found.problems}
    held_up = found.verdict == "waits" or (found.verdict == "forbidden" and fields <= _SHARE)
    if request.kind != "interactive" or not held_up:
        return None
    return msgspec.structs.replace(request, kind="interactive-spot")
