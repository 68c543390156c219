"""Snapshots of volumes, groups of them, and the classes of both.

Fields that are absent are None: the snapshot-controller has not said anything yet.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from .meta import Object, Record


class SnapshotFault(Record, frozen=True, kw_only=True):
    """Why a snapshot could not be taken so far; drivers go on trying."""

    message: str = ""


class SnapshotSource(Record, frozen=True, kw_only=True):
    """What a snapshot is of."""

    persistent_volume_claim_name: str = ""
    volume_snapshot_content_name: str = ""


class SnapshotSpec(Record, frozen=True, kw_only=True):
    """What a snapshot is to be."""

    source: SnapshotSource = SnapshotSource()
    volume_snapshot_class_name: str = ""


class SnapshotStatus(Record, frozen=True, kw_only=True):
    """How far a snapshot is."""

    ready_to_use: bool | None = None
    restore_size: str | int | None = None
    error: SnapshotFault | None = None
    bound_volume_snapshot_content_name: str = ""
    volume_group_snapshot_name: str = ""


class VolumeSnapshot(Object, frozen=True, kw_only=True):
    """A VolumeSnapshot."""

    spec: SnapshotSpec = SnapshotSpec()
    status: SnapshotStatus = SnapshotStatus()


class SnapshotClass(Object, frozen=True, kw_only=True):
    """A VolumeSnapshotClass, or a VolumeGroupSnapshotClass."""

    driver: str
    deletion_policy: str = ""


class ContentSpec(Record, frozen=True, kw_only=True):
    """What a VolumeSnapshotContent is."""

    deletion_policy: str = ""


class SnapshotContent(Object, frozen=True, kw_only=True):
    """A VolumeSnapshotContent."""

    spec: ContentSpec = ContentSpec()


class GroupStatus(Record, frozen=True, kw_only=True):
    """How far a group is."""

    ready_to_use: bool | None = None
    error: SnapshotFault | None = None


class GroupSource(Record, frozen=True, kw_only=True):
    """Of which claims a group is."""

    selector: Mapping[str, Mapping[str, str]] = msgspec.field(default_factory=dict)


class GroupSpec(Record, frozen=True, kw_only=True):
    """What a group is to be."""

    source: GroupSource = GroupSource()


class GroupSnapshot(Object, frozen=True, kw_only=True):
    """A VolumeGroupSnapshot; its members are VolumeSnapshots that name it."""

    spec: GroupSpec = GroupSpec()
    status: GroupStatus = GroupStatus()
