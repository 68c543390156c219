"""New claims that are filled from snapshots, and what is in their way before any is made."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..api import Api, Fault
from ..faults import error as explained
from ..faults import translated
from ..labels import MANAGED_BY, MANAGER
from ..objects.snapshots import VolumeSnapshot
from ..objects.storage import ClassOfStorage
from ..quantities import units
from ..resources import CLAIMS, STORAGE_CLASSES
from .kinds import SNAPSHOT_GROUP, SNAPSHOTS
from .labels import CLAIM_OWNER, SNAPSHOT, SNAPSHOT_CLAIM, SNAPSHOT_OWNER

_CONFLICT = 409
_FORBIDDEN = 403
_NOT_FOUND = 404
_LONGEST = 63
_DIGITS = 8
_UNFIT = re.compile(r"[^a-z0-9-]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A claim to restore: `snapshot` in `namespace` becomes the claim `name`.

    `size` is that of the original in bytes, `modes` as the API names them.
    """

    namespace: str
    snapshot: str
    name: str
    origin: str
    storage_class: str
    size: int
    modes: tuple[str, ...] = ("ReadWriteOnce",)


def claim_name(session: str, origin: str) -> str:
    """Return the name of the claim of a restored session; different ones for different claims."""
    digest = hashlib.sha256(f"{session}/{origin}".encode()).hexdigest()[:_DIGITS]
    stem = _UNFIT.sub("-", f"{session}-{origin}".lower())[: _LONGEST - _DIGITS - 1].strip("-")
    return f"{stem}-{digest}"


class Restorer:
    """Makes claims from snapshots on one cluster."""

    def __init__(self, api: Api) -> None:
        self._api = api

    async def problems(self, wanted: Sequence[Wanted], target: str) -> dict[str, str]:
        """Return by original claim what prevents its restore into the namespace `target`.

        Nothing is made: the API server checks the new claims, with its quotas and rules, on trial.
        Raises Unavailable, NotAllowed.
        """
        with translated():
            classes = await self._classes()
            found = {}
            for each in wanted:
                if problem := await self._problem(each, target, classes):
                    found[each.origin] = problem
            return found

    async def larger(self, wanted: Sequence[Wanted]) -> dict[str, int]:
        """Return by original claim the bytes of new claims that will be larger than it was.

        Raises Unavailable, NotAllowed.
        """
        found = {}
        with translated():
            for each in wanted:
                copy = await self._find(each)
                if copy and 0 < each.size < (size := _size_of(each, copy)):
                    found[each.origin] = size
        return found

    async def make(self, wanted: Sequence[Wanted], order: str, owner: str, digest: str) -> None:
        """Make the claims; those that an earlier try has made are fine.

        They are filled at once, or with a class that waits for a pod, when their session starts.
        `owner` is a user, `digest` what stands for that name in labels. Raises Fault's errors.
        """
        labels = {MANAGED_BY: MANAGER, SNAPSHOT: order, SNAPSHOT_OWNER: digest}
        with translated():
            for each in wanted:
                body = manifest(each, await self._size(each), labels, owner)
                try:
                    await self._api.create(CLAIMS, each.namespace, body)
                except Fault as fault:
                    if fault.status != _CONFLICT:
                        raise

    async def remove(self, namespace: str, names: Collection[str], order: str) -> None:
        """Delete claims that a restore has made. Raises NotAllowed, Unavailable."""
        with translated():
            made = await self._api.list(CLAIMS, namespace, f"{SNAPSHOT}={order}")
            for each in made:
                if each.metadata.name in names:
                    await self._api.delete(CLAIMS, namespace, each.metadata.name)

    async def _problem(
        self, wanted: Wanted, target: str, classes: Mapping[str, ClassOfStorage] | None
    ) -> str:
        if wanted.namespace != target:
            return (
                f"the snapshot is in the namespace {wanted.namespace}, and can be restored there "
                f"only, not in {target}"
            )
        snapshot = await self._find(wanted)
        if snapshot is None or snapshot.metadata.deletion_timestamp:
            return f"its snapshot {wanted.snapshot} was deleted from the cluster"
        if not snapshot.status.ready_to_use:
            return f"its snapshot {wanted.snapshot} is not ready"
        if classes is not None and wanted.storage_class and wanted.storage_class not in classes:
            names = ", ".join(sorted(classes)) or "none"
            return f"its storage class {wanted.storage_class} is gone; there are {names}"
        return await self._refusal(wanted, snapshot)

    async def _find(self, wanted: Wanted) -> VolumeSnapshot | None:
        try:
            return await self._api.get(SNAPSHOTS, wanted.namespace, wanted.snapshot)
        except Fault as fault:
            if fault.status != _NOT_FOUND:
                raise
            return None

    async def _refusal(self, wanted: Wanted, snapshot: VolumeSnapshot) -> str:
        """Return why the cluster would refuse the claim, empty if it would not."""
        body = manifest(wanted, _size_of(wanted, snapshot), {}, "")
        try:
            await self._api.create(CLAIMS, wanted.namespace, body, dry_run=True)
        except Fault as fault:
            if fault.status == _CONFLICT:
                return f"there is a claim {wanted.name} already"
            return explained(fault).message
        return ""

    async def _size(self, wanted: Wanted) -> int:
        snapshot = await self._api.get(SNAPSHOTS, wanted.namespace, wanted.snapshot)
        return _size_of(wanted, snapshot)

    async def _classes(self) -> Mapping[str, ClassOfStorage] | None:
        """Return the storage classes by name, None if they may not be read."""
        try:
            found = await self._api.list(STORAGE_CLASSES)
        except Fault as fault:
            if fault.status == _FORBIDDEN:
                return None
            raise
        return {each.metadata.name: each for each in found}


def manifest(wanted: Wanted, size: int, labels: Mapping[str, str], owner: str) -> dict[str, Any]:
    """Return a claim that is filled from a snapshot."""
    source = {"apiGroup": SNAPSHOT_GROUP, "kind": SNAPSHOTS.kind, "name": wanted.snapshot}
    annotations = {SNAPSHOT_CLAIM: wanted.origin, **({CLAIM_OWNER: owner} if owner else {})}
    named = {"storageClassName": wanted.storage_class} if wanted.storage_class else {}
    return {
        "apiVersion": CLAIMS.api_version,
        "kind": CLAIMS.kind,
        "metadata": {
            "name": wanted.name,
            "namespace": wanted.namespace,
            "labels": dict(labels),
            "annotations": annotations,
        },
        "spec": {
            "accessModes": list(wanted.modes),
            "resources": {"requests": {"storage": str(size)}},
            "dataSource": source,
            **named,
        },
    }


def _size_of(wanted: Wanted, snapshot: VolumeSnapshot) -> int:
    """Return the size of a new claim: never below what the driver needs for the content."""
    needed = snapshot.status.restore_size
    return max(wanted.size, units(needed) if needed is not None else 0)
