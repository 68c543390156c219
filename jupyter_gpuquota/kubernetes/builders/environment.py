"""The environment variables of a session's container."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...control.session_server.settings import session_facts
from ...environ import BACKEND, CA, STATE_DIR, TOKEN_FILE, URL
from ...model.pods import PodOptions
from ...model.sessions import Session
from ..labels import PROCESS
from ..names import CA_KEY, OWNER_TOKEN_KEY, TOKEN_KEY, object_name
from .datasets import dataset_variables
from .defaults import Parts, PodDefaults
from .folders import CONFIG_FOLDER, CONTROLLER_FOLDER
from .volumes import volume_variables

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
    spec, secret = session.spec, object_name(session)
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
    found["GPUQUOTA_SESSION_TOKEN"] = _from(secret, TOKEN_KEY)
    if spec.serves_jupyter:
        found["JUPYTER_TOKEN"] = _from(secret, TOKEN_KEY)
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
