"""The status of a pod, as a kubelet reports it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

Json = dict[str, Any]


def now() -> str:
    """Return the time as the API writes it."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@dataclass
class ContainerState:
    """One container: `state` and `last` are states of the API, such as `{"running": {…}}`."""

    name: str
    image: str
    state: Json = field(default_factory=lambda: waiting("ContainerCreating"))
    last: Json = field(default_factory=dict)
    ready: bool = False
    restarts: int = 0

    def as_json(self) -> Json:
        """Return its entry in `containerStatuses`."""
        return {
            "name": self.name,
            "image": self.image,
            "imageID": f"{self.image}@sha256:{0:064}",
            "state": {**dict.fromkeys(("waiting", "running", "terminated")), **self.state},
            "lastState": self.last,
            "ready": self.ready,
            "started": "running" in self.state,
            "restartCount": self.restarts,
        }


def waiting(reason: str, message: str = "") -> Json:
    """Return the state of a container that does not run yet, or not now."""
    return {"waiting": {"reason": reason, "message": message}}


def running() -> Json:
    """Return the state of a container that runs since now."""
    return {"running": {"startedAt": now()}}


def terminated(code: int, started: str, message: str = "") -> Json:
    """Return the state of a container that has ended; signals are 128 + their number."""
    reason = "Completed" if code == 0 else "Error"
    return {
        "terminated": {
            "exitCode": code,
            "reason": reason,
            "message": message,
            "startedAt": started,
            "finishedAt": now(),
        }
    }


def pod_status(
    containers: Sequence[ContainerState], phase: str, address: str, started: str
) -> Json:
    """Return a pod's status; conditions that others own are left out."""
    ready = all(container.ready for container in containers)
    conditions = {"Initialized": True, "ContainersReady": ready, "Ready": ready}
    return {
        "phase": phase,
        "podIP": address,
        "podIPs": [{"ip": address}],
        "hostIP": "127.0.0.1",
        "startTime": started,
        "containerStatuses": [container.as_json() for container in containers],
        "conditions": [
            {"type": name, "status": str(holds), "lastTransitionTime": now()}
            for name, holds in conditions.items()
        ],
    }


def restarts(policy: str, code: int) -> bool:
    """Return whether a container that ended is started again."""
    return policy == "Always" or (policy == "OnFailure" and code != 0)
