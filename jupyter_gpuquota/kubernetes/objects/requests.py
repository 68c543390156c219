"""What pods request of extended resources, such as GPUs. Pure."""

from __future__ import annotations

from ..quantities import units
from .pods import Container, PodSpec


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
