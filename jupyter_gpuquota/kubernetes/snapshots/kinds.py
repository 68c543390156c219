"""The kinds of snapshots in the API of a cluster, their labels, and which of them it offers.

What a cluster offers is asked of its API, never assumed. Group snapshots have several versions.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import msgspec

from ..api import Api, Fault, Request
from ..connection.decoding import decoded
from ..labels import DOMAIN
from ..objects.meta import Record
from ..objects.snapshots import GroupSnapshot, SnapshotClass, SnapshotContent, VolumeSnapshot
from ..resources import Resource

SNAPSHOT_GROUP = "snapshot.storage.k8s.io"
GROUP_GROUP = "groupsnapshot.storage.k8s.io"
VERSION = "v1"
GROUP_VERSIONS = ("v1", "v1beta2", "v1beta1")
"""Versions of group snapshots, the preferred one first."""
SNAPSHOTS = Resource(SNAPSHOT_GROUP, VERSION, "volumesnapshots", "VolumeSnapshot", VolumeSnapshot)
CLASSES = Resource(
    SNAPSHOT_GROUP,
    VERSION,
    "volumesnapshotclasses",
    "VolumeSnapshotClass",
    SnapshotClass,
    namespaced=False,
)
CONTENTS = Resource(
    SNAPSHOT_GROUP,
    VERSION,
    "volumesnapshotcontents",
    "VolumeSnapshotContent",
    SnapshotContent,
    namespaced=False,
)
SNAPSHOT = f"{DOMAIN}/snapshot"
"""Label of all objects of a snapshot, and of the claims that are restored from it: its order."""
SNAPSHOT_OWNER = f"{DOMAIN}/snapshot-owner"
"""Label of the same objects: a hash of the owner's name."""
SNAPSHOT_CLAIM = f"{DOMAIN}/snapshot-claim"
"""Annotation of a restored or cloned claim: the claim whose content it has."""
CLAIM_OWNER = f"{DOMAIN}/owner"
"""Annotation of a restored claim, as of other volumes: its owner."""
GROUPED = f"{DOMAIN}/grouped-"
"""Begins the label by which a group selects claims; the id of the order follows."""
SELECTED_NODE = "volume.kubernetes.io/selected-node"
"""Annotation, by Kubernetes, of a claim of a class that waits for a pod: the node of that pod."""
_NOT_FOUND = 404


def groups(version: str) -> Resource[GroupSnapshot]:
    """Return group snapshots in a version of the API."""
    plural, kind = "volumegroupsnapshots", "VolumeGroupSnapshot"
    return Resource(GROUP_GROUP, version, plural, kind, GroupSnapshot)


def group_classes(version: str) -> Resource[SnapshotClass]:
    """Return classes of group snapshots in a version of the API."""
    plural, kind = "volumegroupsnapshotclasses", "VolumeGroupSnapshotClass"
    return Resource(GROUP_GROUP, version, plural, kind, SnapshotClass, namespaced=False)


class _GroupVersion(Record, frozen=True, kw_only=True):
    version: str


class _ApiGroup(Record, frozen=True, kw_only=True):
    versions: tuple[_GroupVersion, ...] = msgspec.field(default=())


@dataclass(frozen=True, slots=True)
class Offer:
    """What a cluster offers: classes of snapshots, and of groups in a `version` of the API.

    `is_installed`: the cluster has the kind VolumeSnapshot. Without `version` there are no groups.
    """

    is_installed: bool = False
    version: str = ""
    classes: tuple[SnapshotClass, ...] = ()
    group_classes: tuple[SnapshotClass, ...] = ()


async def discover(api: Api) -> Offer:
    """Return what the cluster offers. Raises Fault."""
    if not await is_installed(api):
        return Offer()
    served = await _versions(api, GROUP_GROUP)
    version = next((each for each in GROUP_VERSIONS if each in served), "")
    classes = await api.list(CLASSES)
    of_groups = await api.list(group_classes(version)) if version else []
    return Offer(
        is_installed=True,
        version=version,
        classes=tuple(classes),
        group_classes=tuple(of_groups),
    )


async def is_installed(api: Api) -> bool:
    """Return whether the cluster has the kind VolumeSnapshot. Raises Fault."""
    return VERSION in await _versions(api, SNAPSHOT_GROUP)


async def _versions(api: Api, group: str) -> Collection[str]:
    """Return the versions of a group of the API that are served, none if it is not there."""
    try:
        answer = await api.read(f"/apis/{group}")
    except Fault as fault:
        if fault.status == _NOT_FOUND:
            return ()
        raise
    found: _ApiGroup = decoded(_ApiGroup, answer, Request("get", group))
    return [each.version for each in found.versions]
