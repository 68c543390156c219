"""Claims of the test driver, and snapshots of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tests.cluster.teams import Team
from tests.cluster.workloads import stateful_set

Json = dict[str, Any]

_PATHS = {
    "PersistentVolumeClaim": "/api/v1/namespaces/{}/persistentvolumeclaims",
    "VolumeSnapshot": "/apis/snapshot.storage.k8s.io/v1/namespaces/{}/volumesnapshots",
    "VolumeGroupSnapshot": (
        "/apis/groupsnapshot.storage.k8s.io/v1beta2/namespaces/{}/volumegroupsnapshots"
    ),
}


def path_of(manifest: Json) -> str:
    """Return the path of an object; of all in its namespace, if its name is empty."""
    meta = manifest["metadata"]
    return f"{_PATHS[manifest['kind']].format(meta['namespace'])}/{meta['name']}".rstrip("/")


def claim(
    team: Team,
    name: str,
    *,
    size: str = "1Gi",
    modes: Sequence[str] = ("ReadWriteOnce",),
    labels: Mapping[str, str] | None = None,
    annotations: Mapping[str, str] | None = None,
    **spec: Any,
) -> Json:
    """Return a claim of the class `test-csi`, unless `storageClassName` is another one."""
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {
            "name": name,
            "namespace": team.namespace,
            "labels": dict(labels or {}),
            "annotations": dict(annotations or {}),
        },
        "spec": {
            "accessModes": list(modes),
            "storageClassName": "test-csi",
            "resources": {"requests": {"storage": size}},
            **spec,
        },
    }


def snapshot(team: Team, name: str, of: str) -> Json:
    """Return a snapshot of a claim."""
    spec = {"volumeSnapshotClassName": "test-csi", "source": {"persistentVolumeClaimName": of}}
    meta = {"name": name, "namespace": team.namespace}
    version = "snapshot.storage.k8s.io/v1"
    return {"apiVersion": version, "kind": "VolumeSnapshot", "metadata": meta, "spec": spec}


def group_snapshot(team: Team, name: str, labels: Mapping[str, str]) -> Json:
    """Return a snapshot of all claims with some labels."""
    source = {"selector": {"matchLabels": dict(labels)}}
    return {
        "apiVersion": "groupsnapshot.storage.k8s.io/v1beta2",
        "kind": "VolumeGroupSnapshot",
        "metadata": {"name": name, "namespace": team.namespace},
        "spec": {"volumeGroupSnapshotClassName": "test-csi", "source": source},
    }


def stateful_set_with(team: Team, name: str, of: str) -> Json:
    """Return a StatefulSet whose pod sleeps with a claim mounted at /data."""
    mounts = [{"name": "data", "mountPath": "/data"}]
    command = ["sleep", "1000"]
    made = stateful_set(team, name, {}, command=command, volumeMounts=mounts)
    volume = {"name": "data", "persistentVolumeClaim": {"claimName": of}}
    made["spec"]["template"]["spec"]["volumes"] = [volume]
    return made
