"""The container of a session, its environment, its Service and its NetworkPolicy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...control.session_server.settings import server_flags, session_facts
from ...environ import BACKEND, CA, SESSION_TOKEN_FILE, STATE_DIR, TOKEN_FILE, URL
from ...model.addresses import address_of
from ...model.pods import PodOptions
from ...model.sessions import Session
from ..labels import CA_KEY, JUPYTER_PORT, OWNER_TOKEN_KEY, PROCESS, TOKEN_KEY, object_name
from ..quantities import memory_text, thousandths_text
from ..resources import NETWORK_POLICIES, SERVICES
from .datasets import dataset_mounts, dataset_variables
from .defaults import Parts, PodDefaults
from .metadata import manifest, selector_of, without_empty
from .volumes import (
    CLAIM,
    CONFIG_FOLDER,
    CONTROLLER_FOLDER,
    TOKEN_FOLDER,
    Volume,
    named_mounts,
    volume_variables,
)

PORT = 29500
"""The port of the first process at which `torch.distributed` meets."""


def variables(session: Session) -> dict[str, str]:
    """Return the variables that `torch.distributed` and `torchrun` (`PET_…`) read.

    The first pod of an Indexed Job has the stable name `JOB-0` below the session's Service.
    """
    count = session.spec.processes
    if count == 1:
        return {}
    name = object_name(session)
    first, port, nodes = f"{name}-0.{name}", str(PORT), str(count)
    return {
        "MASTER_ADDR": first,
        "MASTER_PORT": port,
        "WORLD_SIZE": nodes,
        "PET_MASTER_ADDR": first,
        "PET_MASTER_PORT": port,
        "PET_NNODES": nodes,
    }


def numbered(session: Session) -> Mapping[str, Mapping[str, Any]]:
    """Return the variables that are the number of a pod's process, from 0."""
    if session.spec.processes == 1:
        return {}
    index = {"valueFrom": {"fieldRef": {"fieldPath": f"metadata.annotations['{PROCESS}']"}}}
    return dict.fromkeys(("RANK", "PET_NODE_RANK"), index)


def environment(session: Session, options: PodOptions, parts: Parts) -> list[dict[str, Any]]:
    """Return the variables: the administrator's, the request's, the share's, then ours."""
    spec = session.spec
    plain = {"HOME": parts.defaults.home, **parts.defaults.env, **spec.env, **parts.share.env}
    plain |= session_facts(session) | {"GPUQUOTA_GPUS_MILLI": str(parts.share.milli)}
    plain |= (
        variables(session)
        | _controller(parts.defaults)
        | dataset_variables(session)
        | volume_variables(session)
    )
    found: dict[str, Mapping[str, Any]] = {
        name: {"value": literal(value)} for name, value in plain.items()
    }
    found |= {name: _from(ref.secret, ref.key) for name, ref in options.secret_env.items()}
    found |= numbered(session)
    found["GPUQUOTA_NODE"] = {"valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}}
    found[SESSION_TOKEN_FILE] = {"value": f"{TOKEN_FOLDER}/{TOKEN_KEY}"}
    if spec.serves_jupyter:
        found["JUPYTER_TOKEN_FILE"] = found[SESSION_TOKEN_FILE]
        found["JUPYTER_CONFIG_PATH"] = {"value": CONFIG_FOLDER}
    return [{"name": name, **value} for name, value in found.items()]


def _controller(defaults: PodDefaults) -> dict[str, str]:
    """Return what names the controller. Empty variables replace those of the image."""
    found = {BACKEND: "", STATE_DIR: "", URL: defaults.controller_url}
    if defaults.controller_url:
        found[TOKEN_FILE] = f"{CONTROLLER_FOLDER}/{OWNER_TOKEN_KEY}"
        found[CA] = f"{CONTROLLER_FOLDER}/{CA_KEY}" if defaults.controller_ca else ""
    return found


def literal(text: str) -> str:
    """Return a text that Kubernetes leaves as it is: it would replace `$(NAME)` by a variable."""
    return text.replace("$", "$$")


def _from(secret: str, key: str) -> dict[str, Any]:
    return {"valueFrom": {"secretKeyRef": {"name": secret, "key": key}}}


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


def ports(session: Session) -> dict[int, str]:
    """Return the names of a session's ports by number."""
    found = {port: f"port-{port}" for port in session.spec.ports}
    return {**found, JUPYTER_PORT: "jupyter"} if session.spec.serves_jupyter else found


def service(session: Session) -> dict[str, Any]:
    """Return the headless Service: the DNS names of the session's pods.

    Several processes look each other up before any of them is ready.
    """
    listed = [
        {"name": name, "port": port, "targetPort": port, "protocol": "TCP"}
        for port, name in ports(session).items()
    ]
    spec: dict[str, Any] = {"clusterIP": "None", "selector": selector_of(session)}
    if session.spec.processes > 1:
        spec["publishNotReadyAddresses"] = True
    return manifest(SERVICES, session, spec={**spec, **({"ports": listed} if listed else {})})


def network_policy(session: Session, defaults: PodDefaults) -> dict[str, Any]:
    """Return the NetworkPolicy: only the proxy reaches the session. It may reach anything.

    Where no proxy is configured nobody does: port-forwards reach a pod from inside. The processes
    of a training reach each other at any port.
    """
    allowed = [{"port": port, "protocol": "TCP"} for port in ports(session)]
    rules = [{"from": [dict(peer) for peer in defaults.proxy], "ports": allowed}]
    ingress = rules if defaults.proxy and allowed else []
    if session.spec.processes > 1:
        ingress = [*ingress, {"from": [{"podSelector": {"matchLabels": selector_of(session)}}]}]
    spec = {
        "podSelector": {"matchLabels": selector_of(session)},
        "policyTypes": ["Ingress"],
        "ingress": ingress,
    }
    return manifest(NETWORK_POLICIES, session, spec=spec)
