"""The GPUs of a node, read from its labels and resources.

The labels are those of NVIDIA's GPU feature discovery, the resources those of its device plugin
(https://github.com/NVIDIA/k8s-device-plugin). Nodes of HAMi and ACK have others: `cards`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from ...model.resources import MILLI
from ..objects.cluster import KubeNode, Quantities
from ..quantities import units
from .cards import Cards, cards

Sharing = Literal["", "time-slicing", "mps", "mig", "memory", "devices"]
"""How the GPUs of a node are given out; empty where each is, whole, as a resource."""

Division = Literal["", "counted", "limited", "runai"]
"""How the engine's own scheduler divides GPUs that nodes give out whole; empty: it does not."""

GPU = "nvidia.com/gpu"
DEVICES = "gpu.nvidia.com"
"""The device class of whole GPUs, and what they count as: pods claim them."""
SHARED = "nvidia.com/gpu.shared"
"""The resource of replicas, where the device plugin renames it (`renameByDefault`)."""
FRACTION, MEMORY = "gpu-fraction", "gpu-memory"
"""Annotations of pods whose parts of GPUs the engine's scheduler gives: milli-GPU, or MiB."""
PARTS_OF = "gpu-fraction-container-name"
"""Annotation: the container that gets these parts; without it the first one, be it a sidecar."""
STRATEGY = "nvidia.com/gpu.sharing-strategy"
REPLICAS = "nvidia.com/gpu.replicas"
PRODUCT = "nvidia.com/gpu.product"
HOSTNAME = "kubernetes.io/hostname"
_COUNT, _MEMORY = "nvidia.com/gpu.count", "nvidia.com/gpu.memory"
_FAKE = "kwok.x-k8s.io/node"

_MIG = re.compile(r"nvidia\.com/mig-((\d)g\.(\d+)gb)(?:\.(\w+))?", re.ASCII)
_MIG_PRODUCT = re.compile(r"(.*)-MIG-((\d)g\.(\d+)gb)(?:\.(\w+))?(?:-SHARED)?", re.ASCII)
_MIB_PER_GB = 10**9 / 2**20


@dataclass(frozen=True, slots=True)
class Profile:
    """A MIG profile that a node offers as a resource. `memory` in MiB, `slices` of seven."""

    name: str
    slices: int
    memory: int

    @property
    def milli(self) -> int:
        """Return what an instance costs in quota, in milli-GPU."""
        return -(-self.slices * MILLI // 7)


@dataclass(frozen=True, slots=True)
class GpuNode:
    """The GPUs of a node.

    `count` is the number of physical ones, `memory` the MiB of each; 0 if the labels do not say.
    `resources` are the amounts that pods may request, `profiles` those that are MIG instances, and
    `counted` is the one of which each GPU has 1000, empty for none. `cards` are GPUs whose memory
    HAMi or ACK gives out. `divides` is how the engine's scheduler divides whole ones.
    `claimed` is what pods hold by claims of devices, by their uids.
    """

    name: str
    product: str = ""
    count: int = 0
    memory: int = 0
    sharing: Sharing = ""
    replicas: int = 1
    resources: Mapping[str, int] = field(default_factory=dict)
    profiles: Mapping[str, Profile] = field(default_factory=dict)
    counted: str = ""
    cards: Cards | None = None
    divides: Division = ""
    claimed: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    simulated: bool = False

    @property
    def offered(self) -> int:
        """Return how many GPUs pods can get, whole or shared, other than as MIG instances."""
        if self.cards:
            return self.cards.count
        plain = 0 if GPU in self.profiles else self.resources.get(GPU, 0)
        shared = self.resources.get(SHARED, 0)
        by_count = self.resources.get(self.counted, 0) // MILLI
        claims = self.resources.get(DEVICES, 0)
        return max((plain + shared) // self.replicas, by_count, claims)

    @property
    def usable(self) -> int:
        """Return the MiB of each GPU that parts of it are of: KAI Scheduler counts in hundreds."""
        return self.memory // 100 * 100

    def milli(self, resource: str, amount: int) -> int:
        """Return what an amount of a resource costs in quota, 0 for one without GPUs."""
        if resource in self.profiles:
            return self.profiles[resource].milli * amount
        if self.cards:
            return self.cards.milli(resource, amount)
        if resource in {GPU, SHARED, DEVICES}:
            return amount * MILLI // self.replicas
        if resource == MEMORY:
            return -(-amount * 100 // self.usable) * 10 if self.usable else 0
        return amount if resource in {self.counted, FRACTION} else 0

    def held(self, requested: Mapping[str, int]) -> Mapping[str, int]:
        """Return what a pod holds of the node by its requests, in amounts that `milli` knows."""
        return self.cards.held(requested) if self.cards else requested

    @property
    def parts_look_whole(self) -> bool:
        """Return whether parts of GPUs have the resource of whole ones, by which quotas count."""
        parted = self.replicas > 1 or GPU in self.profiles or self.cards is not None
        return self.resources.get(GPU, 0) > 0 and parted


def gpu_node(node: KubeNode, counted: str = "", divides: Division = "") -> GpuNode:
    """Return the GPUs of a node. Labels that cannot be read count as absent.

    `counted` is the name of a resource of which each GPU has 1000, empty for none; `divides` is how
    the engine's scheduler divides GPUs.
    """
    labels, resources = node.metadata.labels, _resources(node.status.allocatable)
    profiles = {name: found for name in resources if (found := _profile(name, labels))}
    single = _MIG_PRODUCT.fullmatch(labels.get(PRODUCT, ""))
    memory, count = _number(labels, _MEMORY), _number(labels, _COUNT)
    if single and GPU in resources:
        profile = Profile(_name(single[2], single[5]), int(single[3]), memory)
        profiles[GPU], count, memory = profile, -(-count * profile.slices // 7), 0
    replicas = max(1, _number(labels, REPLICAS))
    sharing = _sharing(labels.get(STRATEGY, ""), replicas, resources, profiles)
    replicas = replicas if sharing in {"time-slicing", "mps"} else 1
    read = GpuNode(
        name=node.metadata.name,
        product=single[1] if single else labels.get(PRODUCT, "").removesuffix("-SHARED"),
        count=count,
        memory=memory,
        sharing=sharing,
        replicas=replicas,
        resources=resources,
        profiles=profiles,
        counted=counted,
        divides=divides,
        labels=labels,
        simulated=node.metadata.annotations.get(_FAKE) == "fake",
    )
    if given := cards(node, resources):
        return _by_memory(read, given)
    return _divided(read) if divides and not sharing else read


def distinguishing(
    chosen: Sequence[GpuNode], others: Sequence[GpuNode], groups: Sequence[str] = ()
) -> Mapping[str, Sequence[str]]:
    """Return a node label, with its values, that all chosen nodes have and no other has.

    `groups` are labels of node groups. Where neither these nor those of the device plugin suffice,
    nodes are named one by one.
    """
    if not others:
        return {}
    for label in (*groups, STRATEGY, REPLICAS, PRODUCT):
        values = {node.labels.get(label, "") for node in chosen}
        if "" not in values and not any(node.labels.get(label) in values for node in others):
            return {label: sorted(values)}
    return {HOSTNAME: sorted(node.labels.get(HOSTNAME, node.name) for node in chosen)}


def _by_memory(node: GpuNode, given: Cards) -> GpuNode:
    return replace(
        node,
        product=given.product or node.product,
        count=given.count,
        memory=given.memory,
        sharing="memory",
        replicas=1,
        resources={**node.resources, **given.amounts},
        cards=given,
    )


def _divided(node: GpuNode) -> GpuNode:
    """Return a node whose whole GPUs a scheduler divides."""
    count = node.resources.get(GPU, 0)
    parts = {FRACTION: count * MILLI, MEMORY: count * node.usable} if count else {}
    return replace(node, resources={**node.resources, **parts})


def _resources(allocatable: Quantities) -> dict[str, int]:
    found = {}
    for name, quantity in allocatable.items():
        try:
            found[name] = units(quantity)
        except ValueError:
            continue  # counts as absent
    return found


def _profile(resource: str, labels: Mapping[str, str]) -> Profile | None:
    found = _MIG.fullmatch(resource)
    if not found:
        return None
    memory = _number(labels, f"{resource}.memory") or int(int(found[3]) * _MIB_PER_GB)
    return Profile(_name(found[1], found[4]), int(found[2]), memory)


def _name(profile: str, attribute: str | None) -> str:
    """Return the name of a profile; resources and labels have a dot for its plus sign."""
    return f"{profile}+{attribute}" if attribute else profile


def _sharing(
    strategy: str, replicas: int, resources: Mapping[str, int], profiles: Mapping[str, Profile]
) -> Sharing:
    if strategy == "mps":
        return "mps"
    if strategy == "time-slicing" or (not strategy and (replicas > 1 or SHARED in resources)):
        return "time-slicing"
    return "mig" if GPU in profiles else ""


def _number(labels: Mapping[str, str], label: str) -> int:
    text = labels.get(label, "")
    return int(text) if re.fullmatch(r"\d{1,9}", text, re.ASCII) else 0
