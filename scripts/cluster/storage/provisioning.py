"""What provisioner and resizer of a CSI driver do: volumes for claims, of the requested size."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..labels import DRIVER
from ..rest import Rest
from ..watching import Watched
from . import faults
from .faults import Fault
from .folders import Folders

Json = dict[str, Any]

CLAIMS = "/api/v1/persistentvolumeclaims"
VOLUMES = "/api/v1/persistentvolumes"
CLASSES = "/apis/storage.k8s.io/v1/storageclasses"
SELECTED = "volume.kubernetes.io/selected-node"
"""Annotation by which the scheduler asks for a volume of a class that waits for the first pod."""
PROVISIONER = "volume.kubernetes.io/storage-provisioner"
"""Annotation by which the volume controller asks for a volume: it never sets it afterwards."""
SNAPSHOTS = "/apis/snapshot.storage.k8s.io/v1"


class Provisioner:
    """Makes, enlarges and removes the volumes of the driver's storage classes."""

    def __init__(self, rest: Rest, folders: Folders, changed: Callable[[], object]) -> None:
        self._rest = rest
        self._folders = folders
        self._told: set[str] = set()
        self._classes, self._claims, self._volumes = (
            Watched(rest, path, changed) for path in (CLASSES, CLAIMS, VOLUMES)
        )

    def step(self) -> bool:
        """Do what is due; return whether a claim waits."""
        waiting = False
        found = self._classes.items()
        classes = {one["metadata"]["name"]: one for one in found if one["provisioner"] == DRIVER}
        claims = self._claims.items()
        volumes = [one for one in self._volumes.items() if _is_ours(one)]
        by_claim = {one["spec"]["claimRef"]["uid"]: one for one in volumes}
        for claim in claims:
            kind = classes.get(claim["spec"].get("storageClassName", ""))
            if kind is None or "deletionTimestamp" in claim["metadata"]:
                continue
            volume = by_claim.get(claim["metadata"]["uid"])
            if volume is None:
                waiting = True
                self._provision(claim, kind, claims)
            elif claim["status"].get("phase") == "Bound":
                self._adjust(claim, volume)
        for volume in volumes:
            self._remove(volume)
        return waiting

    def _provision(self, claim: Json, kind: Json, claims: list[Json]) -> None:
        """Make the volume of a claim, unless it waits for a pod or for what it is made from."""
        meta = claim["metadata"]
        annotations = meta.get("annotations", {})
        node = annotations.get(SELECTED, "")
        if annotations.get(PROVISIONER) != DRIVER:
            return
        if kind["volumeBindingMode"] == "WaitForFirstConsumer" and not node:
            return
        try:
            if not faults.may_proceed("provision", claim, meta["creationTimestamp"]):
                return
            if not self._fill(claim, claims):
                return
        except (Fault, FileNotFoundError) as error:
            self._event(claim, str(error))
            return
        self._folders.link(meta["namespace"], meta["name"], meta["uid"])
        self._rest.create(_volume(claim, kind, node))

    def _fill(self, claim: Json, claims: list[Json]) -> bool:
        """Make the folder of a claim; return whether it exists. Raises Fault, FileNotFoundError."""
        meta, source = claim["metadata"], claim["spec"].get("dataSource")
        handle, namespace = meta["uid"], meta["namespace"]
        if self._folders.has_volume(handle):
            return True
        if not source:
            self._folders.make_volume(handle)
        elif source["kind"] == "PersistentVolumeClaim":
            origin = _claim(claims, namespace, source["name"])
            if origin is None or origin["status"].get("phase") != "Bound":
                return False
            self._folders.clone(origin["metadata"]["uid"], handle)
        else:
            return self._restore(claim, source["name"], claims)
        return True

    def _restore(self, claim: Json, name: str, claims: list[Json]) -> bool:
        """Make the folder of a claim from a snapshot; return whether it exists now."""
        meta = claim["metadata"]
        path = f"{SNAPSHOTS}/namespaces/{meta['namespace']}/volumesnapshots"
        found = [one for one in self._rest.get(path)["items"] if one["metadata"]["name"] == name]
        if not found or not found[0].get("status", {}).get("readyToUse"):
            return False
        [snapshot] = found
        source = snapshot["spec"]["source"].get("persistentVolumeClaimName", "")
        origin = _claim(claims, meta["namespace"], source)
        if not faults.may_proceed("restore", origin, meta["creationTimestamp"]):
            return False
        bound = snapshot["status"]["boundVolumeSnapshotContentName"]
        content = self._rest.get(f"{SNAPSHOTS}/volumesnapshotcontents/{bound}")
        self._folders.restore(content["status"]["snapshotHandle"], meta["uid"])
        return True

    def _adjust(self, claim: Json, volume: Json) -> None:
        """Enlarge a volume and change its level, as the claim asks; both are at once."""
        spec, status = claim["spec"], claim["status"]
        wanted, path = spec["resources"]["requests"], self._rest.path_of({**claim, **_CLAIM})
        if status.get("capacity", {}).get("storage") != wanted["storage"]:
            self._change(volume, {"capacity": dict(wanted)})
            self._rest.patch(f"{path}/status", {"status": {"capacity": dict(wanted)}})
        level = spec.get("volumeAttributesClassName")
        if level and status.get("currentVolumeAttributesClassName") != level:
            self._change(volume, {"volumeAttributesClassName": level})
            change = {"currentVolumeAttributesClassName": level, "modifyVolumeStatus": None}
            self._rest.patch(f"{path}/status", {"status": change})

    def _change(self, volume: Json, spec: Json) -> None:
        self._rest.patch(f"{VOLUMES}/{volume['metadata']['name']}", {"spec": spec})

    def _remove(self, volume: Json) -> None:
        """Remove a volume whose claim is gone."""
        spec = volume["spec"]
        released = volume["status"].get("phase") == "Released"
        if released and spec["persistentVolumeReclaimPolicy"] == "Delete":
            claim = spec["claimRef"]
            handle = spec["csi"]["volumeHandle"]
            self._folders.remove_volume(claim["namespace"], claim["name"], handle)
            self._rest.delete(f"{VOLUMES}/{volume['metadata']['name']}")

    def _event(self, claim: Json, message: str) -> None:
        """Report once why a claim gets no volume, as provisioners do."""
        meta = claim["metadata"]
        if meta["uid"] in self._told:
            return
        self._told.add(meta["uid"])
        about = {key: meta[key] for key in ("name", "namespace", "uid")}
        self._rest.create(
            {
                "apiVersion": "v1",
                "kind": "Event",
                "metadata": {"generateName": f"{meta['name']}.", "namespace": meta["namespace"]},
                "involvedObject": {**_CLAIM, **about},
                "reason": "ProvisioningFailed",
                "message": f"failed to provision volume: {message}",
                "type": "Warning",
                "source": {"component": DRIVER},
                "lastTimestamp": meta["creationTimestamp"],
                "count": 1,
            }
        )


_CLAIM = {"apiVersion": "v1", "kind": "PersistentVolumeClaim"}


def _is_ours(volume: Json) -> bool:
    spec = volume["spec"]
    return spec.get("csi", {}).get("driver") == DRIVER and "uid" in spec.get("claimRef", {})


def _claim(claims: list[Json], namespace: str, name: str) -> Json | None:
    for claim in claims:
        meta = claim["metadata"]
        if (meta["namespace"], meta["name"]) == (namespace, name):
            return claim
    return None


def _volume(claim: Json, kind: Json, node: str) -> Json:
    """Return the PersistentVolume of a claim; one that waited for a pod belongs to its node."""
    meta, spec = claim["metadata"], claim["spec"]
    made: Json = {
        "accessModes": spec["accessModes"],
        "capacity": spec["resources"]["requests"],
        "persistentVolumeReclaimPolicy": kind.get("reclaimPolicy", "Delete"),
        "storageClassName": kind["metadata"]["name"],
        "volumeMode": spec.get("volumeMode", "Filesystem"),
        "claimRef": {**_CLAIM, **{key: meta[key] for key in ("name", "namespace", "uid")}},
        "csi": {"driver": DRIVER, "volumeHandle": meta["uid"]},
    }
    if level := spec.get("volumeAttributesClassName"):
        made["volumeAttributesClassName"] = level
    if node:
        there = {"key": "kubernetes.io/hostname", "operator": "In", "values": [node]}
        made["nodeAffinity"] = {"required": {"nodeSelectorTerms": [{"matchExpressions": [there]}]}}
    provisioned = {"pv.kubernetes.io/provisioned-by": DRIVER}
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": f"pvc-{meta['uid']}", "annotations": provisioned},
        "spec": made,
    }
