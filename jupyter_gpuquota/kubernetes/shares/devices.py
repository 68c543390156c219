"""The GPUs that NVIDIA's driver for Dynamic Resource Allocation offers, and who holds them. Pure.

https://github.com/kubernetes-sigs/dra-driver-nvidia-gpu: the device classes, and the attributes
`type`, `productName` and `profile`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ..objects.devices import ClaimedDevice, DeviceObjects, ResourceSlice
from ..quantities import mebibytes
from .gpu_node import DEVICES, GPU, GpuNode, Profile

DRIVER = "gpu.nvidia.com"
MIG_DEVICES = "mig.nvidia.com"
"""The device class of MIG instances; with a profile after a slash the name of its resource."""


@dataclass(frozen=True, slots=True)
class Offered:
    """The devices of a node by name: the resource by which each counts."""

    resources: Mapping[str, str] = field(default_factory=dict)
    profiles: Mapping[str, Profile] = field(default_factory=dict)
    product: str = ""
    memory: int = 0


def with_devices(gpus: Mapping[str, GpuNode], found: DeviceObjects) -> Mapping[str, GpuNode]:
    """Return nodes with the GPUs of the driver; one that has GPUs as a resource keeps these."""
    if not found.slices:
        return gpus
    pools = {name: list(slices) for name, slices in _by_node(found).items()}
    places = {each.spec.pool.name: node for node, slices in pools.items() for each in slices}
    offered = {node: _offered(slices) for node, slices in pools.items()}
    held = _held(found, offered, places)
    return {
        name: _joined(node, offered[name], held.get(name, {}))
        if name in offered and not node.resources.get(GPU)
        else node
        for name, node in gpus.items()
    }


def _by_node(found: DeviceObjects) -> dict[str, list[ResourceSlice]]:
    """Return the driver's newest slices by node."""
    ours = [s for s in found.slices if s.spec.driver == DRIVER and s.spec.node_name]
    newest: dict[str, int] = {}
    for each in ours:
        pool = each.spec.pool
        newest[pool.name] = max(pool.generation, newest.get(pool.name, 0))
    nodes: dict[str, list[ResourceSlice]] = {}
    for each in ours:
        if each.spec.pool.generation == newest[each.spec.pool.name]:
            nodes.setdefault(each.spec.node_name, []).append(each)
    return nodes


def _offered(slices: list[ResourceSlice]) -> Offered:
    devices = [device for each in slices for device in each.spec.devices]
    whole = [device for device in devices if _text(device, "type") == "gpu"]
    instances = [device for device in devices if _is_instance(device)]
    profiles = {_resource(device): _profile(device) for device in instances}
    known = {resource: profile for resource, profile in profiles.items() if profile}
    resources = {device.name: DEVICES for device in whole}
    resources |= {d.name: _resource(d) for d in instances if _resource(d) in known}
    product = next((_text(device, "productName") for device in (*whole, *instances)), "")
    return Offered(resources, known, product, min(map(_memory, whole), default=0))


def _is_instance(device: ClaimedDevice) -> bool:
    """Return whether it is a MIG instance that is there, not one that could be made."""
    return _text(device, "type") == "mig" and not device.consumes_counters


def _joined(node: GpuNode, offered: Offered, held: Mapping[str, Mapping[str, int]]) -> GpuNode:
    amounts = Counter(offered.resources.values())
    return replace(
        node,
        product=offered.product or node.product,
        count=amounts[DEVICES],
        memory=offered.memory,
        sharing="devices",
        replicas=1,
        resources={**node.resources, **amounts},
        profiles={**node.profiles, **offered.profiles},
        claimed=held,
    )


def _held(
    found: DeviceObjects, offered: Mapping[str, Offered], places: Mapping[str, str]
) -> Mapping[str, Mapping[str, Mapping[str, int]]]:
    """Return what pods hold of each node, by their uids; the first of those that share a claim."""
    held: dict[str, dict[str, dict[str, int]]] = {}
    for claim in found.claims:
        pod = next((each.uid for each in claim.status.reserved_for if each.resource == "pods"), "")
        for each in claim.status.allocation.devices.results if pod else ():
            node = places.get(each.pool, "") if each.driver == DRIVER else ""
            resource = offered[node].resources.get(each.device, "") if node else ""
            if resource:
                amounts = held.setdefault(node, {}).setdefault(pod, {})
                amounts[resource] = amounts.get(resource, 0) + 1
    return held


def _resource(device: ClaimedDevice) -> str:
    return f"{MIG_DEVICES}/{_text(device, 'profile')}"


def _profile(device: ClaimedDevice) -> Profile | None:
    name = _text(device, "profile")
    slices = name.partition("g.")[0]
    return Profile(name, int(slices), _memory(device)) if slices.isdecimal() else None


def _memory(device: ClaimedDevice) -> int:
    try:
        return mebibytes(device.capacity["memory"].value)
    except (KeyError, ValueError):
        return 0


def _text(device: ClaimedDevice, name: str) -> str:
    found = device.attributes.get(name)
    return found.string if found else ""
