"""What a cluster offers for snapshots: asked of its API, never assumed."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import msgspec

from ..api import Api, Fault, Request
from ..connection.decoding import decoded
from ..objects.meta import Record
from ..objects.snapshots import SnapshotClass
from .kinds import CLASSES, GROUP_GROUP, GROUP_VERSIONS, SNAPSHOT_GROUP, VERSION, group_classes

_NOT_FOUND = 404


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
