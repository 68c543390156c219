"""The inventory of a cluster: its nodes, what they give of GPUs, and the images of sessions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from ..control.board import Board
from ..control.capabilities import BoardInventory
from ..control.inventory import Inventory
from ..core.requests.feasibility import Fit, check_group, check_quota
from ..core.scheduling.queue import nodes_for
from ..errors import FieldError, refused
from ..model.environments import Environment, LaunchPlace
from ..model.messages.build import field_error
from ..model.nodes import Reading
from ..model.pods import ContainerRules
from ..model.quota import Project
from ..model.resources import MILLI, Node, Share
from ..model.sessions import Kind, SessionRequest, SessionSpec
from .api import Api, Fault
from .engines.engine import Gangs
from .engines.surroundings import versions
from .images import Images
from .namespaces import CLOSED
from .nodes import NO_DEVICES, ClusterNodes, NodeSettings, inventory_of, read_nodes
from .objects.cluster import KubeNode
from .objects.devices import DeviceObjects
from .objects.pods import Pod
from .resources import DEVICE_GROUP, DEVICE_VERSION, RESOURCE_CLAIMS, RESOURCE_SLICES
from .shares.devices import DRIVER
from .shares.gpu_node import GPU, Division, GpuNode
from .shares.registry import Choice, Shares
from .watching.watches import Watches

Devices = Callable[[], DeviceObjects]


async def offers_gpus(api: Api) -> bool:
    """Return whether a driver offers GPUs, as far as one may know. Raises Fault."""
    if DEVICE_VERSION not in await versions(api, DEVICE_GROUP):
        return False
    try:
        found = await api.list(RESOURCE_SLICES, "")
    except Fault as fault:
        if fault.status not in CLOSED:
            raise
        return False
    return any(each.spec.driver == DRIVER for each in found)


def follow(watches: Watches, changed: Callable[[object], None]) -> Devices:
    """Watch devices and claims; return what returns them. `changed` is called after changes."""
    slices, claims = watches.cache(RESOURCE_SLICES), watches.cache(RESOURCE_CLAIMS)
    for cache in (slices, claims):
        cache.subscribe(changed)
    return lambda: DeviceObjects(tuple(slices.values()), tuple(claims.values()))


_MANY = 16
"""The most GPUs of a node that is not known: more are in no machine that is sold."""

_MOST_PROCESSES = 1000
"""The most processes of a training: names of MPIJobs' workers have room for three digits."""


@dataclass(frozen=True, slots=True)
class Offer:
    """What a cluster offers to sessions, by its configuration."""

    images: Images
    shares: Shares
    containers: ContainerRules


def _whole() -> Division:
    """Return that GPUs are given out as the nodes offer them."""
    return ""


class ClusterReader:
    """Reads the nodes of a cluster, and keeps the last reading.

    `divides` returns how the engine's scheduler divides GPUs, once it is connected.
    """

    def __init__(self, settings: NodeSettings, divides: Callable[[], Division] = _whole) -> None:
        self._settings = settings
        self._divides = divides
        self._read: tuple[Sequence[KubeNode], DeviceObjects] = (), NO_DEVICES
        self.devices: Callable[[], DeviceObjects] = lambda: NO_DEVICES
        """Returns what the cluster says of devices that pods claim."""
        self.readings: Callable[[], Mapping[str, Reading]] = dict
        """Returns what is measured of GPUs, by their UUIDs."""
        self.cluster = ClusterNodes()

    def read(
        self, nodes: Iterable[KubeNode], pods: Iterable[Pod], ours: Collection[str]
    ) -> Inventory:
        """Return nodes and holdings; `ours` are the ids of our sessions."""
        found = tuple(nodes), self.devices()
        if found != self._read:
            settings = replace(self._settings, divides=self._divides())
            self._read, self.cluster = found, read_nodes(found[0], settings, found[1])
        return replace(inventory_of(self.cluster, pods, ours), readings=self.readings())

    def assumed(self, thousandths: Callable[[str], bool]) -> GpuNode:
        """Return a node as it may be where no node may be read.

        It has whole GPUs, and thousandths of GPUs if a quota counts them.
        """
        counted = self._settings.counted
        resources = {GPU: _MANY, **({counted: _MANY * MILLI} if thousandths(counted) else {})}
        return GpuNode(name="", resources=resources, counted=counted)


class KubernetesInventory(BoardInventory):
    """The projects of the engine, and the nodes and images of a cluster.

    `counts` returns whether the quota of a project, for a kind of session, counts a resource;
    `limits` whether that quota is known, `gangs` how the pods of a training start.
    """

    source = "cluster"
    local_files = False

    def __init__(
        self,
        board: Board,
        offer: Offer,
        reader: ClusterReader,
        counts: Callable[[str, Kind, str], bool],
        limits: Callable[[str], bool],
        gangs: Callable[[], Gangs] = lambda: "",
    ) -> None:
        super().__init__(board)
        self._counts = counts
        self._limits = limits
        self._gangs = gangs
        self._offer = offer
        self._reader = reader
        self._choices: dict[tuple[object, ...], Choice | FieldError] = {}
        self._chosen_on: tuple[object, ...] = ()

    @property
    def containers(self) -> ContainerRules:
        """What options of containers may be; the engine says whether it starts pods together."""
        gangs = self._gangs()
        most = _MOST_PROCESSES if gangs else 1
        return replace(self._offer.containers, processes=most, apart=gangs == "counted")

    async def environments(self) -> tuple[Environment, ...]:
        """Return the images that administrators offer."""
        return self._offer.images.listed

    async def look_up(self, request: SessionRequest) -> LaunchPlace:
        """Return the image and the folder that a request names; nothing is asked of a registry."""
        return self._offer.images.look_up(request)

    def fit(
        self, share: Share, kind: Kind, node_type: str, nodes: Sequence[Node], project: Project
    ) -> Fit:
        """Return a share rounded up to what the nodes give, or why it can never be had."""
        error = check_group(node_type, nodes)
        if error and self._reader.cluster.gpus:
            return Fit(share, [error])
        found = self._choose(share, kind, node_type, project)
        if isinstance(found, FieldError):
            return Fit(share, [found])
        limited = self._limits(project.name)
        errors = check_quota(share, found.grant.milli, kind, project) if limited else []
        return Fit(found.share, errors, found.grant.milli if limited else 0)

    def choice(self, spec: SessionSpec) -> Choice:
        """Return how the cluster gives a checked request its share. Raises InvalidFields."""
        project = next(
            (project for project in self.projects() if project.name == spec.project),
            Project(name=spec.project, quota=0),
        )
        found = self._choose(spec.share, spec.kind, spec.node_type, project)
        if isinstance(found, FieldError):
            raise refused(found)
        return found

    def node_groups(self, spec: SessionSpec) -> tuple[str, ...]:
        """Return the node groups that a session may use, by their labels; empty for any.

        Groups that administrators list by the names of nodes have no labels: the choice names the
        nodes.
        """
        projects = (project for project in self.projects() if project.name == spec.project)
        affinity = next(projects, Project(name=spec.project, quota=0)).node_affinity
        groups = (spec.node_type,) if spec.node_type else affinity.groups(spec.kind)
        known = {label for node in self._board.found_nodes for label in node.labels}
        unknown = not self._reader.cluster.gpus
        return groups if unknown or known.issuperset(groups) else ()

    def cost(self, spec: SessionSpec) -> int:
        """Return what a checked request costs in quota, in milli-GPU."""
        return self.choice(spec).grant.milli

    def _choose(
        self, share: Share, kind: Kind, node_type: str, project: Project
    ) -> Choice | FieldError:
        """Return the choice for a request; equal ones are made once on the same nodes."""
        present = (self.nodes(), self._reader.cluster, self.projects())
        if present != self._chosen_on:
            self._choices, self._chosen_on = {}, present
        key = (share, kind, node_type, project.name, project.node_affinity)
        if key not in self._choices:
            self._choices[key] = self._made(share, kind, node_type, project)
        return self._choices[key]

    def _made(
        self, share: Share, kind: Kind, node_type: str, project: Project
    ) -> Choice | FieldError:
        nodes, gpus = self.nodes(), self._reader.cluster.gpus
        names = nodes_for(project, kind, node_type, nodes)
        allowed = [gpu for name, gpu in gpus.items() if names is None or name in names]
        elsewhere = [gpu for name, gpu in gpus.items() if names is not None and name not in names]
        counts = partial(self._counts, project.name, kind)
        if not gpus:
            allowed = [self._reader.assumed(thousandths=_names(counts))]
        elif share.wants_gpu and not allowed:
            return field_error("project", "share.no_node", project=project.name)
        elif node_type and not names:
            groups = ",".join(project.node_affinity.groups(kind))
            value = repr(node_type)
            return field_error("node_type", "field.choice", value=value, choices=groups)
        return self._offer.shares.choose(share, allowed, elsewhere, counts)


def _names(counts: Callable[[str], bool]) -> Callable[[str], bool]:
    """Return what tells whether a quota names a resource, rather than counting every one."""
    return lambda resource: counts(resource) and not counts(f"{resource}.unknown")
