"""The datasets of a session's pod: versions on the claim of its project's cache, read-only."""

from __future__ import annotations

from typing import Any

from ...model.datasets.mounts import by_name
from ...model.sessions import Session
from .defaults import PodDefaults

DATASETS_FOLDER = "/data"
"""The folder in the container with a session's datasets by name."""

_VOLUME = "datasets"


def dataset_volumes(session: Session, defaults: PodDefaults) -> list[dict[str, Any]]:
    """Return the volume of a session's datasets: the cache, if there are any.

    It is read-only as a whole: a kubelet would create a folder for a version that is not there, and
    nothing could be published in its place.
    """
    if not session.spec.data:
        return []
    claim = {"claimName": defaults.data_claim, "readOnly": True}
    return [{"name": _VOLUME, "persistentVolumeClaim": claim}]


def dataset_mounts(session: Session) -> list[dict[str, Any]]:
    """Return where the versions are mounted: by name, and at the paths that were asked for."""
    data = session.spec.data
    found = {f"{DATASETS_FOLDER}/{name}": mount for name, mount in by_name(data).items()}
    found |= {mount.path: mount for mount in data if mount.path}
    return [
        {
            "name": _VOLUME,
            "mountPath": path,
            "subPath": f"{mount.dataset}/{mount.version}/tree",
            "readOnly": True,
        }
        for path, mount in found.items()
    ]


def dataset_variables(session: Session) -> dict[str, str]:
    """Return the variable that says where the datasets are, if there are any."""
    return {"GPUQUOTA_DATASETS": DATASETS_FOLDER} if session.spec.data else {}
