"""Nodes, and what pods hold of their GPUs, as every screen shows them. Pure functions."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ..control.inventory import Inventory
from ..model.pods import Toleration
from ..model.resources import MILLI, Device, Holding, MigInstance, Node, Placement, Slice
from . import labels
from .objects.cluster import KubeNode, Taint
from .objects.devices import DeviceObjects
from .objects.pods import Pod, requested
from .shares import kai
from .shares.devices import with_devices
from .shares.gpu_node import FRACTION, GPU, Division, GpuNode, gpu_node

GROUP_LABELS = ("run.ai/type", f"{labels.DOMAIN}/node-type")
"""Labels whose values are node groups, unless the configuration names others."""

NO_DEVICES = DeviceObjects()

_TOLERATED = Toleration(key=GPU)
"""The taint of nodes with GPUs: admission adds the toleration to pods that request one."""


@dataclass(frozen=True, slots=True)
class NodeSettings:
    """How nodes are read.

    `groups` are the labels whose values are node groups, `tolerations` those that every session
    has. `counted` is the resource of which each GPU has 1000, empty for none, `divides` how the
    engine's scheduler divides whole GPUs.
    """

    groups: Sequence[str] = GROUP_LABELS
    tolerations: Sequence[Toleration] = ()
    counted: str = ""
    divides: Division = ""


@dataclass(frozen=True, slots=True)
class ClusterNodes:
    """The nodes of a cluster, as screens show them, and their GPUs by name of the node."""

    nodes: tuple[Node, ...] = ()
    gpus: Mapping[str, GpuNode] = field(default_factory=dict)


def read_nodes(
    found: Iterable[KubeNode], settings: NodeSettings, devices: DeviceObjects = NO_DEVICES
) -> ClusterNodes:
    """Return the nodes of a cluster, in the order of their names, with devices for claims."""
    ordered = sorted(found, key=lambda node: node.metadata.name)
    counted, divides = settings.counted, settings.divides
    read = {node.metadata.name: gpu_node(node, counted, divides) for node in ordered}
    gpus = with_devices(read, devices)
    nodes = tuple(_node(node, gpus[node.metadata.name], settings) for node in ordered)
    return ClusterNodes(nodes, gpus)


def inventory_of(cluster: ClusterNodes, pods: Iterable[Pod], ours: Collection[str]) -> Inventory:
    """Return nodes and holdings: the GPUs of pods that belong to none of our sessions.

    `ours` are the ids of our sessions. A label alone proves nothing: anyone can set it.
    """
    holdings = tuple(
        Holding(name=f"{pod.metadata.namespace}/{pod.metadata.name}", placement=placement)
        for pod in pods
        if pod.metadata.labels.get(labels.SESSION) not in ours
        and (placement := placement_of(pod, cluster.gpus))
        and placement.slices
    )
    return Inventory(cluster.nodes, holdings=holdings)


def placement_of(pod: Pod, gpus: Mapping[str, GpuNode]) -> Placement | None:
    """Return where a pod holds resources, None if it holds none yet, or none any more."""
    if not pod.spec.node_name or pod.status.phase in ("Succeeded", "Failed"):
        return None
    node = gpus.get(pod.spec.node_name, GpuNode(name=pod.spec.node_name))
    return Placement(node=node.name, slices=slices_of(pod, node), simulated=node.simulated)


def slices_of(pod: Pod, node: GpuNode) -> tuple[Slice, ...]:
    """Return what a pod holds of the GPUs of its node; which of them, the cluster does not tell."""
    return tuple(
        piece
        for resource, amount in _held(pod, node).items()
        if (milli := node.milli(resource, amount))
        for piece in _pieces(node, resource, amount, milli)
    )


def _held(pod: Pod, node: GpuNode) -> Mapping[str, int]:
    """Return what a pod holds of its node, in amounts that the node knows."""
    if node.claimed:
        return {**node.held(requested(pod.spec)), **node.claimed.get(pod.metadata.uid, {})}
    if not node.divides:
        return node.held(requested(pod.spec))
    if kai.is_reservation(pod.metadata):
        return {}  # those that share the GPU hold it
    part = kai.part_of(pod.metadata, node)
    shared = {FRACTION: part.milli * len(part.groups)} if part else {}
    return {**node.held(requested(pod.spec)), **shared}


def problem_of(node: KubeNode, tolerations: Sequence[Toleration] = ()) -> str:
    """Return why no new session starts on a node, empty if one can."""
    if not is_ready(node):
        return "not ready"
    if node.spec.unschedulable:
        return "cordoned"
    kept = (t for t in node.spec.taints if not _tolerates(t, (*tolerations, _TOLERATED)))
    return next((f"tainted: {taint.key}" for taint in kept), "")


def is_ready(node: KubeNode) -> bool:
    """Return whether the node's kubelet reports that it is ready."""
    return any(c.type == "Ready" and c.status == "True" for c in node.status.conditions)


def groups_of(node: KubeNode, names: Iterable[str]) -> tuple[str, ...]:
    """Return the groups of a node: the values of these labels."""
    return tuple(value for name in names if (value := node.metadata.labels.get(name, "")))


def _node(node: KubeNode, gpus: GpuNode, settings: NodeSettings) -> Node:
    return Node(
        name=gpus.name,
        devices=tuple(_devices(node, gpus)),
        labels=groups_of(node, settings.groups),
        problem=problem_of(node, settings.tolerations),
    )


def _devices(node: KubeNode, gpus: GpuNode) -> Iterable[Device]:
    """Return GPUs of one kind as one device: the cluster does not tell them apart."""
    ready, parted = is_ready(node), _instances(gpus)
    whole = gpus.offered if parted else max(gpus.count, gpus.offered)
    usable = gpus.offered if ready else 0

    def device(count: int, *, lost: bool = False, mig: tuple[MigInstance, ...] = ()) -> Device:
        return Device(
            uuid="",
            model=gpus.product or "GPU",
            memory=gpus.memory,
            simulated=gpus.simulated,
            lost=lost,
            count=count,
            mig=mig,
        )

    if usable:
        yield device(usable)
    if lost := whole - usable:
        yield device(lost, lost=True)
    if parted:
        yield device(max(1, gpus.count - whole), lost=not ready, mig=parted)


def _instances(gpus: GpuNode) -> tuple[MigInstance, ...]:
    return tuple(
        MigInstance(uuid="", profile=profile.name, memory=profile.memory, slices=profile.slices)
        for resource, profile in gpus.profiles.items()
        for _ in range(gpus.resources[resource])
    )


def _pieces(node: GpuNode, resource: str, amount: int, milli: int) -> Iterable[Slice]:
    if profile := node.profiles.get(resource):
        piece = Slice(milli=profile.milli, memory=profile.memory, mig=profile.name)
        return [piece] * amount
    return [Slice(milli=milli, memory=node.memory * milli // MILLI)]


def _tolerates(taint: Taint, tolerations: Iterable[Toleration]) -> bool:
    if taint.effect == "PreferNoSchedule":
        return True
    return any(
        toleration.key == taint.key
        and toleration.value in ("", taint.value)
        and toleration.effect in ("", taint.effect)
        for toleration in tolerations
    )
