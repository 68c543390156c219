"""What the snapshotter of a CSI driver does: snapshots and groups of them, and their removal."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from jupyter_gpuquota.kubernetes.quantities import units

from ..labels import DRIVER
from ..rest import Rest
from ..watching import Watched
from . import faults
from .faults import Fault
from .folders import Folders

Json = dict[str, Any]

CONTENTS = "/apis/snapshot.storage.k8s.io/v1/volumesnapshotcontents"
GROUPS = "/apis/groupsnapshot.storage.k8s.io/v1beta2/volumegroupsnapshotcontents"
GROUP = "groupsnapshot.storage.k8s.io/volumeGroupSnapshotHandle"
"""Annotation of a member of a group."""


class Snapshotter:
    """Makes and removes the driver's snapshots."""

    def __init__(self, rest: Rest, folders: Folders, changed: Callable[[], object]) -> None:
        self._rest = rest
        self._folders = folders
        self._contents, self._groups = (Watched(rest, path, changed) for path in (CONTENTS, GROUPS))

    def step(self) -> bool:
        """Do what is due; return whether anything waits."""
        contents, groups = _ours(self._contents), _ours(self._groups)
        waiting = any(not _is_ready(one) for one in (*contents, *groups))
        claims = self._claims() if waiting else {}
        for content in contents:
            if "deletionTimestamp" in content["metadata"]:
                self._remove(CONTENTS, content)
            elif not _is_ready(content) and not _is_member(content):
                self._take(content, claims)
        for group in groups:
            if "deletionTimestamp" in group["metadata"]:
                self._remove(GROUPS, group)
            elif not _is_ready(group):
                self._take_group(group, claims)
        return waiting

    def _claims(self) -> dict[str, Json]:
        """Return the claims by their volumes' handles, which are their uids.

        A test may just have asked for a fault in one of them.
        """
        found = self._rest.get("/api/v1/persistentvolumeclaims")["items"]
        return {one["metadata"]["uid"]: one for one in found}

    def _take(self, content: Json, claims: dict[str, Json]) -> None:
        """Make the snapshot of a content, or look for one that exists."""
        meta, source = content["metadata"], content["spec"]["source"]
        volume = source.get("volumeHandle", "")
        handle = source.get("snapshotHandle") or f"snapshot-{meta['uid']}"
        claim = claims.get(volume)
        try:
            if not faults.may_proceed("snapshot", claim, meta["creationTimestamp"]):
                return
            if volume:
                self._folders.snapshot(volume, handle)
            self._folders.require_snapshot(handle)
        except (Fault, FileNotFoundError) as error:
            self._fail(CONTENTS, content, str(error))
            return
        status = {"snapshotHandle": handle, "creationTime": time.time_ns(), "readyToUse": True}
        self._report(CONTENTS, content, {**status, "restoreSize": _size(claim), "error": None})

    def _take_group(self, group: Json, claims: dict[str, Json]) -> None:
        """Make the snapshots of all volumes of a group, or none."""
        meta = group["metadata"]
        handles = group["spec"]["source"].get("volumeHandles", [])
        infos = []
        try:
            for volume in handles:
                claim = claims.get(volume)
                if not faults.may_proceed("snapshot", claim, meta["creationTimestamp"]):
                    return
                handle = f"snapshot-{meta['uid']}-{volume}"
                self._folders.snapshot(volume, handle)
                info = {"volumeHandle": volume, "snapshotHandle": handle, "readyToUse": True}
                infos.append({**info, "creationTime": time.time_ns(), "restoreSize": _size(claim)})
        except (Fault, FileNotFoundError) as error:
            self._fail(GROUPS, group, str(error))
            return
        status = {
            "volumeGroupSnapshotHandle": f"group-{meta['uid']}",
            "creationTime": _now(),
            "readyToUse": True,
            "volumeSnapshotInfoList": infos,
            "error": None,
        }
        self._report(GROUPS, group, status)

    def _fail(self, path: str, content: Json, message: str) -> None:
        if content.get("status", {}).get("error", {}).get("message") != message:
            error = {"message": message, "time": _now()}
            self._report(path, content, {"readyToUse": False, "error": error})

    def _report(self, path: str, content: Json, status: Json) -> None:
        self._rest.patch(f"{path}/{content['metadata']['name']}/status", {"status": status})

    def _remove(self, path: str, content: Json) -> None:
        """Remove the snapshots of a content that goes, unless they are to be retained."""
        meta = content["metadata"]
        if content["spec"]["deletionPolicy"] == "Delete":
            status = content.get("status", {})
            infos = status.get("volumeSnapshotInfoList", [])
            for handle in (status.get("snapshotHandle"), *(one["snapshotHandle"] for one in infos)):
                if handle:
                    self._folders.remove_snapshot(handle)
        if not meta.get("finalizers"):
            return
        self._rest.patch(f"{path}/{meta['name']}", {"metadata": {"finalizers": None}})


def _ours(contents: Watched) -> list[Json]:
    return [one for one in contents.items() if one["spec"]["driver"] == DRIVER]


def _is_member(content: Json) -> bool:
    """Return whether a content is one of a group: its state comes from there."""
    return GROUP in content["metadata"].get("annotations", {})


def _is_ready(content: Json) -> bool:
    return bool(content.get("status", {}).get("readyToUse"))


def _size(claim: Json | None) -> int:
    """Return the size of a claim in bytes; restored claims must have at least as much."""
    return units(claim["status"]["capacity"]["storage"]) if claim else 0


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
