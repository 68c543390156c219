"""Decide whether a share could ever be had: on empty devices, within the project's quota."""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import FieldError
from ..model.quota import Project
from ..model.reasons import Reason
from ..model.resources import Node, Placement, Share, gpus_text, memory_text
from .placement import place, rooms


def check_possible(share: Share, nodes: Sequence[Node], project: Project) -> list[FieldError]:
    """Return why a share can never be had, empty if it could."""
    if not share.wants_gpu:
        return []
    devices = [device for node in nodes for device in node.devices if not device.lost]
    if not devices:
        hint = "Leave the GPU out for a session on CPUs only."
        return [FieldError(_field(share), "This machine has no GPU.", hint)]
    placed = place(share, rooms(nodes, []))
    if isinstance(placed, Reason):
        return [_beyond(share, nodes)]
    return _over_quota(share, placed, project)


def _over_quota(share: Share, placed: Placement, project: Project) -> list[FieldError]:
    if placed.milli <= project.quota:
        return []
    message = (
        f"{share.text} is more than the whole quota of {project.name}, "
        f"{gpus_text(project.quota)} GPU."
    )
    return [FieldError(_field(share), message, "It would wait for ever: ask for less.")]


def _beyond(share: Share, nodes: Sequence[Node]) -> FieldError:
    devices = [device for node in nodes for device in node.devices if not device.lost]
    if share.mig:
        profiles = sorted({i.profile for device in devices for i in device.mig})
        offer = f"There are: {', '.join(profiles)}." if profiles else "No GPU here is in MIG mode."
        return FieldError("mig_profile", f"No GPU has a MIG instance {share.mig}.", offer)
    if share.memory:
        most = max(device.memory for device in devices)
        message = f"{memory_text(share.memory)} is more than any GPU here has."
        return FieldError("gpu_memory", message, f"The largest has {memory_text(most)}.")
    usable = [sum(not d.lost and not d.mig for d in node.devices) for node in nodes]
    message = f"{share.text} is more than any node has."
    return FieldError("gpu", message, f"The largest node has {max(usable)} GPUs to share.")


def _field(share: Share) -> str:
    return "mig_profile" if share.mig else "gpu_memory" if share.memory else "gpu"
