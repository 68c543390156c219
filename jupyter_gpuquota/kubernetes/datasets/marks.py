"""Pins and last uses of cached versions: what users and the controller say of them.

They are in a ConfigMap beside the claim, one entry for each version and user, as only Jobs can
write to the claim itself. Two controllers write different entries, or the same content.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from datetime import datetime

import msgspec

from ...model.datasets.caches import CachedVersion, Pin
from ...model.struct import Model, decoded
from ..api import Api, Fault
from ..builders.metadata import without_empty
from ..labels import MANAGED_BY, MANAGER
from ..resources import CONFIG_MAPS

Copy = tuple[str, str]
"""The names of a dataset and of a version."""

_NOT_FOUND = 404


class Mark(Model, frozen=True, kw_only=True):
    """What is said of one version: that it was used, or a user's pin."""

    dataset: str
    version: str
    used: datetime | None = None
    pin: Pin | None = None


class Marks:
    """The marks of one claim, in memory as they were last read or written."""

    def __init__(self, api: Api, namespace: str, claim: str) -> None:
        self._api = api
        self._namespace = namespace
        self._name = f"gpuquota-{claim}"
        self._entries: dict[str, Mark] = {}

    async def read(self) -> None:
        """Read all marks; what is malformed counts as absent. Raises Fault."""
        try:
            found = await self._api.get(CONFIG_MAPS, self._namespace, self._name)
        except Fault as fault:
            if fault.status != _NOT_FOUND:
                raise
            self._entries = {}
            return
        self._entries = dict(_decoded(found.data))

    def pins(self, copy: Copy) -> tuple[Pin, ...]:
        """Return the pins of a version, expired ones too."""
        return tuple(mark.pin for mark in self._of(copy) if mark.pin)

    def used(self, copy: Copy) -> datetime | None:
        """Return when a session last used a version, None if none is known to have."""
        return max((mark.used for mark in self._of(copy) if mark.used), default=None)

    async def use(self, copies: Mapping[Copy, datetime]) -> None:
        """Note that sessions use versions. Raises Fault."""
        await self._write(
            {
                _key(copy, "used"): Mark(dataset=copy[0], version=copy[1], used=when)
                for copy, when in copies.items()
            }
        )

    async def pin(self, copy: Copy, pin: Pin) -> None:
        """Set the pin of a user. Raises Fault."""
        mark = Mark(dataset=copy[0], version=copy[1], pin=pin)
        await self._write({_key(copy, f"pin:{pin.user}"): mark})

    async def unpin(self, copy: Copy, user: str) -> None:
        """Remove the pin of a user. Raises Fault."""
        await self._write({_key(copy, f"pin:{user}"): None})

    async def forget(self, copy: Copy) -> None:
        """Remove all marks of a version that was evicted. Raises Fault."""
        keys = (key for key, mark in self._entries.items() if _copy(mark) == copy)
        await self._write(dict.fromkeys(keys))

    def _of(self, copy: Copy) -> Iterator[Mark]:
        return (mark for mark in self._entries.values() if _copy(mark) == copy)

    async def _write(self, changes: Mapping[str, Mark | None]) -> None:
        """Write changed entries; None removes one."""
        if not changes:
            return
        data = {
            key: None if mark is None else msgspec.json.encode(mark).decode()
            for key, mark in changes.items()
        }
        try:
            await self._api.patch(CONFIG_MAPS, self._namespace, self._name, {"data": data})
        except Fault as fault:
            if fault.status != _NOT_FOUND:
                raise
            await self._api.create(CONFIG_MAPS, self._namespace, self._manifest(data))
        for key, mark in changes.items():
            if mark is None:
                self._entries.pop(key, None)
            else:
                self._entries[key] = mark

    def _manifest(self, data: Mapping[str, str | None]) -> dict[str, object]:
        return {
            "apiVersion": CONFIG_MAPS.api_version,
            "kind": CONFIG_MAPS.kind,
            "metadata": {
                "name": self._name,
                "namespace": self._namespace,
                "labels": {MANAGED_BY: MANAGER},
            },
            "data": without_empty(data),
        }


def marked(version: CachedVersion, marks: Marks) -> CachedVersion:
    """Return a cached version with what is said of it."""
    copy = (version.dataset, version.version)
    used = max(version.used, marks.used(copy) or version.used)
    return msgspec.structs.replace(version, used=used, pins=(*version.pins, *marks.pins(copy)))


def _decoded(data: Mapping[str, str]) -> Iterator[tuple[str, Mark]]:
    for key, text in data.items():
        try:
            yield key, decoded(text.encode(), Mark)
        except msgspec.DecodeError:
            continue


def _copy(mark: Mark) -> Copy:
    return mark.dataset, mark.version


def _key(copy: Copy, what: str) -> str:
    """Return the key of an entry: names of datasets and users may not be in it as they are."""
    return hashlib.sha256("\0".join((*copy, what)).encode()).hexdigest()[:40]
