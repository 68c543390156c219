"""Look for a smaller share where the one that is asked cannot be had."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from ..errors import GpuQuotaError
from ..model.resources import MILLI, Share
from ..model.sessions import SessionRequest
from .possible import check_possible
from .shares import parse_share
from .specs import Facts, project_of

_SHARE = {"gpu", "gpu_memory"}
"""The fields that say how much is asked."""


def smaller(share: Share, most: int | None = None) -> Iterator[Share]:
    """Iterate over shares of the same form below one, of at most `most` GPUs, the largest first."""
    if share.mig:
        return
    count = share.devices - 1
    for fewer in range(count if most is None else min(count, most), 0, -1):
        yield Share(milli=fewer * MILLI)
    parts = (750, 500, 250, 100)
    if share.memory:
        quarters = (share.memory * part // MILLI for part in parts)
        yield from (msgspec.structs.replace(share, memory=mib) for mib in quarters if mib)
    else:
        limit = share.milli if not share.devices else MILLI
        yield from (Share(milli=part, compute=share.compute) for part in parts if part < limit)


def allowed(request: SessionRequest, facts: Facts, error: GpuQuotaError) -> Share | None:
    """Return the largest share below the asked one that no rule forbids.

    None where more is wrong with the request than that it asks for too much.
    """
    share, broken = parse_share(request)
    project = project_of(request, facts)
    if broken or project is None or not {field.field for field in error.fields} <= _SHARE:
        return None
    kind, group, nodes = request.kind, request.node_type, facts.nodes
    most = max((len(node.devices) for node in nodes), default=0)
    found = (s for s in smaller(share, most) if not check_possible(s, kind, group, nodes, project))
    return next(found, None)
