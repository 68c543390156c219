"""GPUs as they are measured, whether or not the engine tells them apart."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from ...model.nodes import DeviceUse, GpuUse, NodeUse, Reading
from ...model.resources import device_text

MANY = 16
"""More measured GPUs than one machine has: of more, each caller is told of those they use."""


def measured(nodes: Sequence[NodeUse], own: Collection[str]) -> list[GpuUse]:
    """Return the measured GPUs of some nodes; `own` are the ids of the caller's sessions."""
    return [gpu for node in nodes for use in node.devices for gpu in _measured(node, use, own)]


def of_interest(found: Sequence[GpuUse]) -> list[GpuUse]:
    """Return the GPUs to tell a caller of: all of few, else those that the caller uses."""
    return [gpu for gpu in found if gpu.mine or len(found) <= MANY]


def _measured(node: NodeUse, use: DeviceUse, own: Collection[str]) -> Iterator[GpuUse]:
    device = use.device
    for gpu in use.gpus or (_reading(use),):
        if gpu.utilisation is None and gpu.memory_used is None and gpu.temperature is None:
            continue
        holders = () if use.gpus else (piece.session for piece in use.slices)
        users = [*holders, *(each.session for each in gpu.programs)]
        sessions = tuple(dict.fromkeys(filter(None, users)))
        yield GpuUse(
            node=node.name,
            name=gpu.name,
            model=device.model,
            memory=gpu.memory or device.memory,
            utilisation=gpu.utilisation,
            memory_used=gpu.memory_used,
            temperature=gpu.temperature,
            programs=gpu.programs,
            sessions=sessions,
            mine=any(session in own for session in sessions),
        )


def _reading(use: DeviceUse) -> Reading:
    """Return what is measured of a device that is one GPU."""
    return Reading(
        utilisation=use.utilisation,
        memory_used=use.memory_used,
        temperature=use.temperature,
        programs=use.programs,
        name=device_text(use.device),
    )
