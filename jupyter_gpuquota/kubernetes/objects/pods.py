"""Pods and their events."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

import msgspec

from ..quantities import units
from .meta import Condition, Object, Record


class Resources(Record, frozen=True, kw_only=True):
    """What a container requests and is limited to, as quantities."""

    requests: Mapping[str, str | int] = msgspec.field(default_factory=dict)
    limits: Mapping[str, str | int] = msgspec.field(default_factory=dict)


class ContainerMount(Record, frozen=True, kw_only=True):
    """Where a container has a volume of its pod."""

    name: str
    mount_path: str = ""
    read_only: bool = False


class Container(Record, frozen=True, kw_only=True):
    """A container of a pod."""

    name: str
    image: str = ""
    resources: Resources = Resources()
    volume_mounts: tuple[ContainerMount, ...] = ()


class ClaimSource(Record, frozen=True, kw_only=True):
    """The claim that a volume of a pod is."""

    claim_name: str
    read_only: bool = False


class PodVolume(Record, frozen=True, kw_only=True):
    """A volume of a pod; only claims are read."""

    name: str
    persistent_volume_claim: ClaimSource | None = None


class SchedulingGate(Record, frozen=True, kw_only=True):
    """What keeps a pod from being put on a node."""

    name: str


class PodSpec(Record, frozen=True, kw_only=True):
    """What a pod is to run."""

    containers: tuple[Container, ...] = ()
    init_containers: tuple[Container, ...] = ()
    node_name: str = ""
    scheduler_name: str = ""
    scheduling_gates: tuple[SchedulingGate, ...] = ()
    volumes: tuple[PodVolume, ...] = ()


class Waiting(Record, frozen=True, kw_only=True):
    """Why a container does not run yet."""

    reason: str = ""
    message: str = ""


class Running(Record, frozen=True, kw_only=True):
    """Since when a container runs."""

    started_at: datetime | None = None


class Terminated(Record, frozen=True, kw_only=True):
    """How a container ended."""

    exit_code: int = 0
    signal: int = 0
    reason: str = ""
    message: str = ""
    started_at: datetime | None = None
    finished_at: datetime | None = None


class ContainerState(Record, frozen=True, kw_only=True):
    """The state of a container: one of the three."""

    waiting: Waiting | None = None
    running: Running | None = None
    terminated: Terminated | None = None


class ContainerStatus(Record, frozen=True, kw_only=True):
    """The status of a container."""

    name: str
    ready: bool = False
    restart_count: int = 0
    image: str = ""
    image_id: str = msgspec.field(default="", name="imageID")
    state: ContainerState = ContainerState()
    last_state: ContainerState = ContainerState()


class PodStatus(Record, frozen=True, kw_only=True):
    """The status of a pod."""

    phase: str = ""
    reason: str = ""
    message: str = ""
    conditions: tuple[Condition, ...] = ()
    container_statuses: tuple[ContainerStatus, ...] = ()
    init_container_statuses: tuple[ContainerStatus, ...] = ()
    pod_ip: str = msgspec.field(default="", name="podIP")
    start_time: datetime | None = None


DEFAULT_CONTAINER = "kubectl.kubernetes.io/default-container"
"""Annotation: the container that a pod is for. Sidecars may come first, as Istio's does with
`holdApplicationUntilProxyStarts`."""


class Pod(Object, frozen=True, kw_only=True):
    """A pod."""

    spec: PodSpec = PodSpec()
    status: PodStatus = PodStatus()

    @property
    def main(self) -> Container:
        """Return the container that the pod is for; others are sidecars."""
        named = self.metadata.annotations.get(DEFAULT_CONTAINER, "")
        first = self.spec.containers[0] if self.spec.containers else Container(name=named)
        return next((each for each in self.spec.containers if each.name == named), first)

    @property
    def main_status(self) -> ContainerStatus | None:
        """Return the status of that container, None while it has none."""
        name = self.main.name
        return next((each for each in self.status.container_statuses if each.name == name), None)


class InvolvedObject(Record, frozen=True, kw_only=True):
    """The object that an event is about."""

    kind: str = ""
    name: str = ""
    namespace: str = ""
    uid: str = ""


class Event(Object, frozen=True, kw_only=True):
    """An event (`v1`)."""

    involved_object: InvolvedObject = InvolvedObject()
    type: str = ""
    reason: str = ""
    message: str = ""
    count: int = 0
    first_timestamp: datetime | None = None
    last_timestamp: datetime | None = None
    event_time: datetime | None = None


def requested(pod: PodSpec) -> dict[str, int]:
    """Return the units of each extended resource that a pod requests.

    Containers run together, but init containers before them, one by one
    (https://kubernetes.io/docs/concepts/workloads/pods/init-containers/#resource-sharing-within-containers).
    """
    found: dict[str, int] = {}
    for container in pod.containers:
        for resource, amount in _amounts(container).items():
            found[resource] = found.get(resource, 0) + amount
    for container in pod.init_containers:
        for resource, amount in _amounts(container).items():
            found[resource] = max(found.get(resource, 0), amount)
    return found


def _amounts(container: Container) -> dict[str, int]:
    """Return what a container requests; where only a limit is given, that is requested."""
    resources = {**container.resources.limits, **container.resources.requests}
    return {name: units(amount) for name, amount in resources.items() if "/" in name}
