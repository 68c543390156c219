"""The kinds of snapshots in the API, of which group snapshots have several versions."""

from __future__ import annotations

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


def groups(version: str) -> Resource[GroupSnapshot]:
    """Return group snapshots in a version of the API."""
    plural, kind = "volumegroupsnapshots", "VolumeGroupSnapshot"
    return Resource(GROUP_GROUP, version, plural, kind, GroupSnapshot)


def group_classes(version: str) -> Resource[SnapshotClass]:
    """Return classes of group snapshots in a version of the API."""
    plural, kind = "volumegroupsnapshotclasses", "VolumeGroupSnapshotClass"
    return Resource(GROUP_GROUP, version, plural, kind, SnapshotClass, namespaced=False)
