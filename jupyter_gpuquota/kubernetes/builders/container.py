"""The container of a session."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...control.session_server.settings import server_flags
from ...model.addresses import address_of
from ...model.pods import PodOptions
from ...model.sessions import Session
from ..names import JUPYTER_PORT
from ..quantities import memory_text, thousandths_text
from .claims import CLAIM
from .datasets import dataset_mounts
from .defaults import Parts
from .environment import environment, literal
from .metadata import without_empty
from .network import ports
from .volumes import Volume, named_mounts

CONTAINER = "session"
"""The name of the container."""


def container(
    session: Session, options: PodOptions, parts: Parts, volumes: Sequence[Volume]
) -> dict[str, Any]:
    """Return the container of a session."""
    spec = session.spec
    return without_empty(
        {
            "name": CONTAINER,
            "image": spec.image,
            "imagePullPolicy": options.pull_policy or parts.defaults.pull_policy,
            "command": [literal(word) for word in _command(session, parts)],
            "workingDir": spec.folder,
            "env": environment(session, options, parts),
            "ports": [{"name": name, "containerPort": n} for n, name in ports(session).items()],
            "resources": _resources(options, parts),
            "volumeMounts": [
                *(dict(mount) for _, mount in volumes),
                *map(dict, named_mounts(session)),
                *dataset_mounts(session),
            ],
            "readinessProbe": _readiness(session) if spec.serves_jupyter else None,
            "securityContext": {
                "allowPrivilegeEscalation": False,
                "capabilities": {"drop": ["ALL"]},
            },
            "terminationMessagePolicy": "FallbackToLogsOnError",
        }
    )


def _command(session: Session, parts: Parts) -> tuple[str, ...]:
    spec = session.spec
    if spec.command:
        return (*spec.command, *spec.args)
    flags = server_flags(
        session,
        ip="0.0.0.0",  # noqa: S104 (of its pod, which the NetworkPolicy protects)
        port=JUPYTER_PORT,
        port_retries=0,
        allow_remote_access=True,
    )
    return (*parts.defaults.server, *spec.args, *flags)


def _resources(options: PodOptions, parts: Parts) -> dict[str, Any]:
    """Return requests and limits; a default request never exceeds a requested limit."""
    cpu = options.cpu or _least(parts.defaults.cpu, options.cpu_limit)
    memory = options.memory or _least(parts.defaults.memory, options.memory_limit)
    return without_empty(
        {
            "requests": {**_amounts(cpu, memory), **parts.share.resources},
            "limits": {
                **_amounts(options.cpu_limit, options.memory_limit),
                **parts.share.resources,
            },
            "claims": [{"name": CLAIM}] if parts.share.devices else [],
        }
    )


def _amounts(cpu: int, memory: int) -> dict[str, str]:
    return {
        **({"cpu": thousandths_text(cpu)} if cpu else {}),
        **({"memory": memory_text(memory)} if memory else {}),
    }


def _least(default: int, limit: int) -> int:
    return min(default, limit) if limit else default


def _readiness(session: Session) -> dict[str, Any]:
    """Return the probe: `api` needs no token; without the query it would count as activity."""
    path = f"{address_of(session)}api?no_track_activity=1"
    get = {"path": path, "port": JUPYTER_PORT}
    return {"httpGet": get, "periodSeconds": 5, "timeoutSeconds": 5, "failureThreshold": 3}
