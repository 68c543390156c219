"""Claims, volumes and classes as a cluster has them."""

from __future__ import annotations

from typing import Any

from jupyter_gpuquota.kubernetes.objects.storage import Claim
from jupyter_gpuquota.kubernetes.resources import (
    ATTRIBUTES_CLASSES,
    CLAIMS,
    PERSISTENT_VOLUMES,
    PODS,
    RESOURCE_QUOTAS,
    STORAGE_CLASSES,
)
from tests.kubernetes.fake_api import FakeApi

GIB = 2**30
TEAM = "team-a"
DRIVER = "nfs.csi.k8s.io"
LONG = {"RWO": "ReadWriteOnce", "RWX": "ReadWriteMany", "ROX": "ReadOnlyMany"}


def put_class(api: FakeApi, name: str = "shared", driver: str = DRIVER, **more: Any) -> None:
    """Create a StorageClass; `default` makes it that of claims without one."""
    default = (
        {"storageclass.kubernetes.io/is-default-class": "true"} if more.pop("default", 0) else {}
    )
    meta = {"name": name, "annotations": default}
    api.put(
        STORAGE_CLASSES,
        {"metadata": meta, "provisioner": driver, "allowVolumeExpansion": True, **more},
    )


def put_level(api: FakeApi, name: str, driver: str = DRIVER) -> None:
    """Create a VolumeAttributesClass."""
    api.put(ATTRIBUTES_CLASSES, {"metadata": {"name": name}, "driverName": driver})


def put_claim(
    api: FakeApi,
    name: str = "data",
    size: str = "10Gi",
    mode: str = "RWX",
    *,
    phase: str = "Bound",
    meta: dict[str, Any] | None = None,
    affinity: dict[str, list[str]] | None = None,
    **spec: Any,
) -> Claim:
    """Create a claim, bound to a volume that has this affinity to nodes."""
    wanted = {
        "accessModes": [LONG.get(mode, mode)],
        "storageClassName": "shared",
        "resources": {"requests": {"storage": size}},
        **spec,
    }
    bound = phase == "Bound"
    if bound:
        put_volume(api, f"pv-{name}", affinity or {})
        wanted["volumeName"] = f"pv-{name}"
    status = {
        "phase": phase,
        **({"capacity": {"storage": size}, "accessModes": wanted["accessModes"]} if bound else {}),
    }
    metadata = {"name": name, "namespace": TEAM, **(meta or {})}
    return api.put(CLAIMS, {"metadata": metadata, "spec": wanted, "status": status})


def put_volume(api: FakeApi, name: str, affinity: dict[str, list[str]]) -> None:
    """Create a volume of a CSI driver."""
    terms = [{"key": key, "operator": "In", "values": vs} for key, vs in affinity.items()]
    required = {"nodeSelectorTerms": [{"matchExpressions": terms}]} if terms else {}
    spec = {
        "csi": {"driver": DRIVER},
        **({"nodeAffinity": {"required": required}} if terms else {}),
    }
    api.put(PERSISTENT_VOLUMES, {"metadata": {"name": name}, "spec": spec})


def put_pod(
    api: FakeApi,
    name: str,
    claim: str = "data",
    node: str = "node-1",
    *,
    phase: str = "Running",
    session: str = "",
    read_only: bool = False,
    mounted: bool = True,
) -> None:
    """Create a pod that holds a claim, and mounts it at /data."""
    label = {"jupyter-gpuquota.github.io/session": session} if session else {}
    mount = {"name": "v", "mountPath": "/data", "readOnly": read_only}
    api.put(
        PODS,
        {
            "metadata": {"name": name, "namespace": TEAM, "labels": label},
            "spec": {
                "nodeName": node,
                "containers": [{"name": "c", "volumeMounts": [mount] if mounted else []}],
                "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": claim}}],
            },
            "status": {"phase": phase},
        },
    )


def put_storage_quota(api: FakeApi, used: dict[str, str] | None = None, **hard: str) -> None:
    """Limit storage in the namespace; keys have `_` for `.` and `/`."""
    api.put(
        RESOURCE_QUOTAS,
        {
            "metadata": {"name": "storage", "namespace": TEAM},
            "spec": {"hard": hard},
            "status": {"hard": hard, "used": used or {}},
        },
    )
