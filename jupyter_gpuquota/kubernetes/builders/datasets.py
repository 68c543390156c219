"""The datasets of a session's pod: versions on the claim of its project's cache, read-only."""

from __future__ import annotations

import hashlib
from typing import Any

from ...model.datasets.mounts import DataMount, by_name
from ...model.sessions import Session
from .defaults import PodDefaults

DATASETS_FOLDER = "/data"
"""The folder in the container with a session's datasets by name."""

_VOLUME = "datasets"


def dataset_volumes(session: Session, defaults: PodDefaults) -> list[dict[str, Any]]:
    """Return the volumes of a session's datasets: the cache, or one for each that nodes hold.

    They are read-only as a whole: a kubelet would create a folder for a version that is not there,
    and nothing could be published in its place.
    """
    claims = {_volume(mount, defaults): _claim(mount, defaults) for mount in session.spec.data}
    return [
        {"name": name, "persistentVolumeClaim": {"claimName": claim, "readOnly": True}}
        for name, claim in claims.items()
    ]


def dataset_mounts(session: Session, defaults: PodDefaults) -> list[dict[str, Any]]:
    """Return where the versions are mounted: by name, and at the paths that were asked for."""
    data = session.spec.data
    found = {f"{DATASETS_FOLDER}/{name}": mount for name, mount in by_name(data).items()}
    found |= {mount.path: mount for mount in data if mount.path}
    return [
        {
            "name": _volume(mount, defaults),
            "mountPath": path,
            **({} if defaults.data_near else {"subPath": _tree(mount)}),
            "readOnly": True,
        }
        for path, mount in found.items()
    ]


def near_claim(dataset: str, version: str) -> str:
    """Return the name of the claim by which nodes' own copies of a version are mounted."""
    digest = hashlib.sha256(f"{dataset}@{version}".encode()).hexdigest()[:16]
    return f"gpuquota-{dataset[:30].strip('-')}-{digest}"


def _volume(mount: DataMount, defaults: PodDefaults) -> str:
    return near_claim(mount.dataset, mount.version) if defaults.data_near else _VOLUME


def _claim(mount: DataMount, defaults: PodDefaults) -> str:
    return near_claim(mount.dataset, mount.version) if defaults.data_near else defaults.data_claim


def _tree(mount: DataMount) -> str:
    return f"{mount.dataset}/{mount.version}/tree"


def dataset_variables(session: Session) -> dict[str, str]:
    """Return the variable that says where the datasets are, if there are any."""
    return {"GPUQUOTA_DATASETS": DATASETS_FOLDER} if session.spec.data else {}
