"""The volumes of a session's pod, its Secret and its claim of devices.

The template of a claim of devices cannot be changed, so its name has a hash of what it claims:
after a resize it is another. It goes with the workload that it belongs to.

The Secret has the session's tokens, and the configuration of its Jupyter Server: images need not
have this package.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from ...control.session_server.settings import SERVER_CONFIG, server_config
from ...core.access import FOR_OWNER
from ...environ import VOLUMES
from ...model.pods import PodOptions
from ...model.sessions import Session
from ...model.volumes.mounts import Mount
from ..labels import CA_KEY, OWNER_TOKEN_KEY, TOKEN_KEY, object_name
from ..quantities import memory_text
from ..resources import CLAIM_TEMPLATES, SECRETS
from ..shares.provider import PodPatch
from .defaults import Parts, PodDefaults
from .metadata import manifest, without_empty

_PROGRAM, _VALUES = "jupyter_server_config.py", "jupyter_server_config.json"
CONFIG_FILES = (_PROGRAM, _VALUES)
"""The keys that are files of the configuration."""


def secret(session: Session, token: str, defaults: PodDefaults) -> dict[str, Any]:
    """Return the Secret of a session."""
    values = {TOKEN_KEY: token.encode()}
    if session.spec.serves_jupyter:
        config = msgspec.json.format(msgspec.json.encode(server_config(session, token)))
        values |= {_PROGRAM: _program(), _VALUES: config}
    if defaults.controller_url:
        values[OWNER_TOKEN_KEY] = f"{FOR_OWNER}{token}".encode()
    if defaults.controller_ca:
        values[CA_KEY] = defaults.controller_ca.encode()
    data = {name: base64.b64encode(value).decode() for name, value in values.items()}
    return manifest(SECRETS, session, type="Opaque", data=data)


@cache
def _program() -> bytes:
    return Path(SERVER_CONFIG, _PROGRAM).read_bytes()


CLAIM = "gpu"
"""The name of the claim in the pod."""


def pod_claims(session: Session, share: PodPatch) -> list[dict[str, str]]:
    """Return the claim of a pod, none for a share without one."""
    if not share.devices:
        return []
    return [{"name": CLAIM, "resourceClaimTemplateName": _name(session, share)}]


def claim_template(session: Session, share: PodPatch) -> dict[str, Any]:
    """Return the template from which the cluster makes the claim of each pod."""
    made = manifest(CLAIM_TEMPLATES, session, spec={"spec": dict(share.devices)})
    made["metadata"]["name"] = _name(session, share)
    return made


def _name(session: Session, share: PodPatch) -> str:
    content = msgspec.json.encode(share.devices, order="deterministic")
    return f"{object_name(session)}-{hashlib.sha256(content).hexdigest()[:8]}"


CONFIG_FOLDER = "/var/run/gpuquota/jupyter"
"""The configuration of the session's Jupyter Server."""
CONTROLLER_FOLDER = "/var/run/gpuquota/controller"
"""What the session's programs need to reach the controller."""
TOKEN_FOLDER = "/var/run/gpuquota/session"  # noqa: S105 (a folder)
"""The session's own token."""
VOLUMES_FOLDER = "/var/run/gpuquota/volumes"
"""The volumes by name."""


_PLAIN = re.compile(r"(?!.*-[0-9a-f]{16}\Z)[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?", re.ASCII)
"""Names of users that may stand in the name of a claim, and look like no other user's."""

Volume = tuple[Mapping[str, Any], Mapping[str, Any]]
"""A volume of a pod, and where it is mounted in the container."""


def volumes(session: Session, options: PodOptions, parts: Parts) -> list[Volume]:
    """Return the volumes: home, what the Secret has, shared memory, requested ones, the share's."""
    return [
        _home(session, parts),
        *_secrets(session, parts.defaults),
        *_shared_memory(options),
        *(_requested(i, mount) for i, mount in enumerate(session.spec.mounts)),
        *zip(parts.share.volumes, parts.share.mounts, strict=True),
    ]


def named_mounts(session: Session) -> list[Mapping[str, Any]]:
    """Return where the requested volumes are mounted by name, beside the requested paths."""
    found = {
        mount.volume: _mount(i, f"{VOLUMES_FOLDER}/{mount.volume}", mount)
        for i, mount in enumerate(session.spec.mounts)
        if mount.volume
    }
    return list(found.values())


def volume_variables(session: Session) -> dict[str, str]:
    """Return the variable that says where the volumes are, if there are any."""
    return {VOLUMES: VOLUMES_FOLDER} if named_mounts(session) else {}


def claim_of(user: str, template: str) -> str:
    """Return the name of a user's claim; other users never get the same."""
    if not _PLAIN.fullmatch(user):
        digest = hashlib.sha256(user.encode()).hexdigest()[:16]
        close = re.sub(r"[^a-z0-9]+", "-", user.lower())[:40].strip("-")
        user = f"{close or 'user'}-{digest}"
    return template.replace("{user}", user)


def _home(session: Session, parts: Parts) -> Volume:
    defaults = parts.defaults
    source: dict[str, Any] = {"emptyDir": {}}
    if defaults.home_claim:
        claim = claim_of(session.owner, defaults.home_claim)
        source = {"persistentVolumeClaim": {"claimName": claim}}
    return _volume("home", defaults.home, source)


def _secrets(session: Session, defaults: PodDefaults) -> Iterator[Volume]:
    """Yield the files of the session's Secret: token, server's configuration, our address."""
    yield _files(session, "session-token", TOKEN_FOLDER, (TOKEN_KEY,))
    if session.spec.serves_jupyter:
        yield _files(session, "jupyter-config", CONFIG_FOLDER, CONFIG_FILES)
    if defaults.controller_url:
        keys = (OWNER_TOKEN_KEY, *([CA_KEY] if defaults.controller_ca else ()))
        yield _files(session, "controller", CONTROLLER_FOLDER, keys)


def _files(session: Session, name: str, folder: str, keys: Iterable[str]) -> Volume:
    items = [{"key": key, "path": key} for key in keys]
    source = {"secretName": object_name(session), "items": items, "defaultMode": 0o440}
    return _volume(name, folder, {"secret": source}, read_only=True)


def _shared_memory(options: PodOptions) -> Iterator[Volume]:
    """Yield a larger /dev/shm: half of the memory, as its content counts as the container's."""
    if options.large_shm:
        size = memory_text(options.memory_limit // 2) if options.memory_limit else ""
        source = without_empty({"medium": "Memory", "sizeLimit": size})
        yield _volume("shared-memory", "/dev/shm", {"emptyDir": source})  # noqa: S108 (in a pod)


def _requested(number: int, mount: Mount) -> Volume:
    if mount.host_path:
        source: dict[str, Any] = {"hostPath": {"path": mount.host_path, "type": "Directory"}}
    else:
        source = {"persistentVolumeClaim": {"claimName": mount.volume}}
    return {"name": f"volume-{number}", **source}, _mount(number, mount.path, mount)


def _mount(number: int, path: str, mount: Mount) -> Mapping[str, Any]:
    return _mounted(f"volume-{number}", path, read_only=mount.read_only)


def _volume(name: str, path: str, source: Mapping[str, Any], *, read_only: bool = False) -> Volume:
    return {"name": name, **source}, _mounted(name, path, read_only=read_only)


def _mounted(name: str, path: str, *, read_only: bool) -> Mapping[str, Any]:
    return {"name": name, "mountPath": path, **({"readOnly": True} if read_only else {})}
