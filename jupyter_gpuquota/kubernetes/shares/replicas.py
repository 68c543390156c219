"""What time-slicing and MPS have in common: each GPU is offered as a number of equal replicas."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from ...errors import FieldError
from ...model.messages.build import field_error
from ...model.messages.formats import share_arg
from ...model.resources import MILLI, Share
from .gpu_node import GPU, SHARED, GpuNode
from .provider import Grant


def granted(share: Share, node: GpuNode, most: int) -> Grant | None:
    """Return the replicas of a node that a share needs, None for more than `most`.

    A fraction, or an amount of memory, is rounded up to whole replicas. Nothing can limit compute
    alone.
    """
    wanted = _replicas(share, node)
    resource = SHARED if SHARED in node.resources else GPU
    if not 0 < wanted <= min(most, node.resources.get(resource, 0)):
        return None
    milli = wanted * MILLI // node.replicas
    size = {"memory": wanted * node.memory // node.replicas} if share.memory else {"milli": milli}
    return Grant(msgspec.structs.replace(share, **size), milli, resource, wanted)


def refusal(share: Share, nodes: Sequence[GpuNode], parts: int) -> FieldError | None:
    """Return the most that nodes give, each at most so many replicas; 0: a whole GPU's."""
    if share.mig:
        return None
    field = "gpu_memory" if share.memory else "gpu"
    if share.compute:
        return field_error("gpu_compute", "share.compute.none")
    if share.memory:
        most = max(_most(node, parts) * node.memory // node.replicas for node in nodes)
        return field_error(field, "share.parts", most=share_arg(Share(memory=most)))
    most = max(_most(node, parts) * MILLI // node.replicas for node in nodes)
    return field_error(field, "share.parts", most=share_arg(Share(milli=most)))


def _most(node: GpuNode, parts: int) -> int:
    return parts or node.replicas


def _replicas(share: Share, node: GpuNode) -> int:
    """Return how many replicas a share needs; 0 if replicas cannot give it."""
    if share.mig or share.compute or share.milli > MILLI:
        return 0
    if share.memory:
        return -(-share.memory * node.replicas // node.memory) if node.memory else 0
    return -(-share.milli * node.replicas // MILLI)
