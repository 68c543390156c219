"""KAI Scheduler: parts of GPUs that nodes give out whole, by annotations of the pod.

https://github.com/kai-scheduler/KAI-Scheduler, `docs/gpu-sharing`. A pod with a fraction requests
no resource; the scheduler names the GPU in a label, and keeps the GPU by a pod of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ...errors import FieldError
from ...model.resources import MILLI, Isolation, Share
from ..objects.meta import Meta
from ..quantities import exact, memory_text
from . import parts
from .gpu_node import FRACTION, GPU, MEMORY, GpuNode
from .provider import Grant, PodPatch
from .whole import Whole

DEVICES = "gpu-fraction-num-devices"
"""Annotation: of how many GPUs a pod requests the same part."""
GROUP = "runai-gpu-group"
"""Label of the pods on a shared GPU, and of the pod that keeps it: the name of the GPU."""
RESERVATIONS = frozenset({"kai-resource-reservation", "runai-reservation"})
"""The namespaces of the pods that keep GPUs."""
_STEP = 10
"""A request is rounded to hundredths of a GPU."""
_LIMIT = "nvidia.com/container.session.gpu-memory.limit"
"""The most of each GPU that the session's container may use.

https://github.com/kai-scheduler/kai-gpu-fractioning
"""


class Kai:
    """Fractions of one GPU or of several, of each the same, and amounts of memory of one."""

    name = "kai"

    def __init__(self) -> None:
        self._whole = Whole()

    def offers(self, node: GpuNode) -> bool:
        """Return whether the scheduler divides the GPUs of a node."""
        return bool(node.divides) and not node.sharing and node.resources.get(GPU, 0) > 0

    def grant(self, share: Share, node: GpuNode) -> Grant | None:
        """Return parts of GPUs, each rounded up to hundredths; these may come to whole GPUs."""
        if share.mig or share.compute:
            return None
        if share.memory:
            milli = node.milli(MEMORY, share.memory)
            return Grant(share, milli, FRACTION, milli) if 0 < milli <= MILLI else None
        milli = -(-share.portion // _STEP) * _STEP * share.count
        if not milli or share.count > node.resources[GPU]:
            return None
        found = Share(milli=milli)
        if found.devices:
            return self._whole.grant(found, node)
        return Grant(found, milli, FRACTION, milli)

    def refusal(self, share: Share, nodes: Sequence[GpuNode]) -> FieldError | None:
        """Return the most that nodes give."""
        if share.count > 1:
            return self._whole.refusal(share, nodes)
        return parts.refusal(share, max(node.usable for node in nodes))

    def render(self, grant: Grant) -> PodPatch:
        """Return the annotations of the parts; the pod requests no resource but whole GPUs."""
        if grant.resource == GPU:
            return self._whole.render(grant)
        share = grant.share
        part = {MEMORY: str(share.memory)} if share.memory else {FRACTION: _text(share.portion)}
        several = {DEVICES: str(share.count)} if share.divided else {}
        return PodPatch(milli=grant.milli, annotations=part | several)

    def isolation(self) -> Isolation:
        """Return that nothing isolates: the fraction is only counted."""
        return Isolation(
            memory="none",
            compute="none",
            bypass=("a process can use more than the share",),
            note="KAI Scheduler counts the share and shows the session its GPU alone.",
        )


class KaiLimited(Kai):
    """The same where an add-on ends containers that use more GPU memory than their share."""

    name = "kai-limited"

    def offers(self, node: GpuNode) -> bool:
        """Return whether the memory of parts is limited, too; its size must be known."""
        return super().offers(node) and node.divides == "limited" and node.memory > 0

    def grant(self, share: Share, node: GpuNode) -> Grant | None:
        """Return the parts in MiB: the same fraction of the memory, unless that is requested."""
        found = super().grant(share, node)
        if found is None or found.resource == GPU:
            return found
        units = share.memory or node.usable * found.milli // MILLI
        return Grant(found.share, found.milli, MEMORY, units)

    def render(self, grant: Grant) -> PodPatch:
        """Return the parts, and the most memory of each GPU that the container may use."""
        found = super().render(grant)
        if grant.resource == GPU:
            return found
        limit = {_LIMIT: memory_text(grant.units // grant.share.count)}
        return PodPatch(milli=found.milli, annotations={**found.annotations, **limit})

    def isolation(self) -> Isolation:
        """Return that memory is limited by the node."""
        return Isolation(
            memory="enforced",
            compute="none",
            scope="container",
            note="A container that uses more GPU memory than its share is ended. Sessions on a "
            "GPU share its compute.",
        )


class RunAi(Kai):
    """The same by Run:ai, of which KAI Scheduler is a part, and which limits memory.

    https://docs.nvidia.com/run-ai, "GPU fractions". Its pods have the same annotations.
    """

    name = "runai"

    def offers(self, node: GpuNode) -> bool:
        """Return whether Run:ai divides the GPUs of a node."""
        return super().offers(node) and node.divides == "runai"

    def isolation(self) -> Isolation:
        """Return that Run:ai limits memory; compute is shared unless it is configured otherwise."""
        return Isolation(
            memory="enforced",
            compute="none",
            scope="container",
            note="Run:ai refuses allocations beyond the share. Sessions on a GPU share its "
            "compute.",
        )


@dataclass(frozen=True, slots=True)
class Part:
    """What a pod has of shared GPUs: `milli` of each of these `groups`."""

    milli: int
    groups: tuple[str, ...]


def part_of(pod: Meta, node: GpuNode) -> Part | None:
    """Return what a pod has of shared GPUs of its node, None for one that shares none."""
    groups = groups_of(pod)
    milli = part_requested(pod.annotations, node.usable) if groups else 0
    return Part(milli, groups) if milli else None


def part_requested(annotations: Mapping[str, str], memory: int) -> int:
    """Return the milli-GPU that a pod requests of each GPU of so many MiB; 0 for none."""
    try:
        if text := annotations.get(FRACTION):
            return _rounded(exact(text) * MILLI)
        mib = int(annotations.get(MEMORY, "0"))
    except ValueError:
        return 0
    return _rounded(Fraction(mib * MILLI, memory)) if memory else 0


def devices_requested(annotations: Mapping[str, str]) -> int:
    """Return of how many GPUs a pod requests the same part; 1 where it does not say."""
    text = annotations.get(DEVICES, "")
    return max(1, int(text)) if text.isdecimal() else 1


def is_reservation(pod: Meta) -> bool:
    """Return whether a pod only keeps a GPU for those that share it."""
    return pod.namespace in RESERVATIONS and GROUP in pod.labels


def groups_of(pod: Meta) -> tuple[str, ...]:
    """Return the names of the shared GPUs that a pod has parts of."""
    of = (text for key, text in pod.labels.items() if key == GROUP or key.startswith(f"{GROUP}/"))
    return tuple(sorted(of))


def _rounded(milli: Fraction) -> int:
    return round(milli / _STEP) * _STEP


def _text(milli: int) -> str:
    """Return milli-GPU as a decimal number, which is the only form that KAI accepts."""
    return f"0.{milli:03d}".rstrip("0")
