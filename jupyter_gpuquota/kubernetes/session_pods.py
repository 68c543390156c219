"""The pods of sessions, as programs, logs and the ingress need them."""

from __future__ import annotations

from collections.abc import Callable

from ..errors import GpuQuotaError, NotAllowed, Unavailable, WrongState
from ..model.sessions import Session
from .api import Fault
from .objects.pods import Pod
from .resources import PODS

PodOf = Callable[[Session], Pod | None]
"""Returns the newest pod of a session's present run, None if it has none. From memory."""

_DEFAULT_CONTAINER = "kubectl.kubernetes.io/default-container"


def require_running(session: Session, pod: Pod | None) -> Pod:
    """Return the pod of a running session. Raises WrongState."""
    name = session.spec.name
    if session.state != "running":
        waits = session.state in ("waiting", "starting")
        raise WrongState(
            f"{name} is {session.state}, not running.",
            hint="Wait until it is running." if waits else "Resume it first.",
        )
    if pod is None or pod.metadata.deletion_timestamp or pod.status.phase != "Running":
        raise WrongState(f"The pod of {name} is not running.", hint="Try again in a moment.")
    return pod


def container_of(pod: Pod) -> str:
    """Return the name of the container that the session is; others are sidecars."""
    named = pod.metadata.annotations.get(_DEFAULT_CONTAINER, "")
    return named or pod.spec.containers[0].name


def pod_path(pod: Pod, subresource: str = "") -> str:
    """Return the path of a pod in the API."""
    return PODS.path(pod.metadata.namespace, pod.metadata.name, subresource)


def refusal(session: Session, fault: Fault, action: str, right: str) -> GpuQuotaError:
    """Return the error for a fault of something that was done with a session's pod or Secret.

    `action` completes "may not …" (`run programs`), `right` names what it needs (`create
    pods/exec`).
    """
    name, project = session.spec.name, session.spec.project
    if fault.status == 403:
        return NotAllowed(
            f"The cluster does not let you {action} in {project}.",
            hint=f"Ask an administrator for the right to {right} there.",
        )
    if fault.status == 404:
        return WrongState(
            f"The cluster no longer has what it takes to {action} in {name}.",
            hint="Look at its state; try again in a moment.",
        )
    return Unavailable(
        f"The cluster did not {action} in {name}: {fault.message}.", hint="Try again in a moment."
    )
