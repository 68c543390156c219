"""New claims that are filled from copies, and what is in their way before any is made."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace

from ...core.requests.quantities import size_quantity
from ...core.snapshots.restore import Found
from ...core.snapshots.volumes import copied, mounting
from ...errors import NotFound
from ...model.sessions import SessionSpec
from ...model.snapshots.manifest import Manifest
from ...model.snapshots.restore import RestoreRequest
from ...model.volumes.mounts import Mount
from ..api import Api, Fault
from ..builders.defaults import PodDefaults
from ..builders.volumes import claim_of
from ..faults import error as explained
from ..faults import translated
from ..labels import MANAGED_BY, MANAGER
from ..objects.meta import Object
from ..objects.storage import ClassOfStorage
from ..resources import CLAIMS, JOBS, STORAGE_CLASSES
from .copies import Copies
from .kinds import CLAIM_OWNER, SNAPSHOT, SNAPSHOT_CLAIM, SNAPSHOT_OWNER
from .plan import SINGLE
from .ways import Copy

_CONFLICT = 409
_FORBIDDEN = 403
_LONGEST = 63
_DIGITS = 8
_UNFIT = re.compile(r"[^a-z0-9-]+")
_NO_FOLDER = "On a cluster a snapshot is restored into new volumes, not into a folder."
_ENDED = "Files outside of volumes are not in the snapshot: they ended with the pod."


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A claim to restore: the copy `snapshot` in `namespace` becomes the claim `name`.

    `provider` is what has made the copy, as manifests name it. `size` is that of the original in
    bytes, `modes` as the API names them.
    """

    namespace: str
    snapshot: str
    name: str
    origin: str
    storage_class: str
    size: int
    modes: tuple[str, ...] = ("ReadWriteOnce",)
    provider: str = SINGLE


def claim_name(session: str, origin: str) -> str:
    """Return the name of the claim of a restored session; different ones for different claims."""
    digest = hashlib.sha256(f"{session}/{origin}".encode()).hexdigest()[:_DIGITS]
    stem = _UNFIT.sub("-", f"{session}-{origin}".lower())[: _LONGEST - _DIGITS - 1].strip("-")
    return f"{stem}-{digest}"


class Restorer:
    """Makes claims from copies on one cluster."""

    def __init__(self, api: Api, copies: Copies) -> None:
        self._api = api
        self._copies = copies

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

    async def make(
        self,
        wanted: Sequence[Wanted],
        order: str,
        owner: str,
        digest: str,
        holder: Object | None = None,
    ) -> None:
        """Make the claims; those that an earlier try has made are fine.

        With a `holder`, a Job, they are removed together with it.

        They are filled at once, or with a class that waits for a pod, when their session starts.
        `owner` is a user, `digest` what stands for that name in labels. Raises Fault's errors.
        """
        labels = {MANAGED_BY: MANAGER, SNAPSHOT: order, SNAPSHOT_OWNER: digest}
        with translated():
            for each in wanted:
                copy = await self._find(each)
                if copy is None:
                    raise NotFound(f"The copy {each.snapshot} was deleted from the cluster.")
                body = self._manifest(each, copy, labels, owner)
                if holder:
                    body["metadata"]["ownerReferences"] = [_held_by(holder)]
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
        copy = await self._find(wanted)
        if copy is None or copy.is_going:
            return f"its snapshot {wanted.snapshot} was deleted from the cluster"
        if not copy.is_ready:
            return f"its snapshot {wanted.snapshot} is not ready"
        if classes is not None and wanted.storage_class and wanted.storage_class not in classes:
            names = ", ".join(sorted(classes)) or "none"
            return f"its storage class {wanted.storage_class} is gone; there are {names}"
        return await self._refusal(wanted, copy)

    async def _find(self, wanted: Wanted) -> Copy | None:
        return await self._copies.provider(wanted.provider).find(wanted.namespace, wanted.snapshot)

    async def _refusal(self, wanted: Wanted, copy: Copy) -> str:
        """Return why the cluster would refuse the claim, empty if it would not."""
        body = self._manifest(wanted, copy, {}, "")
        try:
            await self._api.create(CLAIMS, wanted.namespace, body, dry_run=True)
        except Fault as fault:
            if fault.status == _CONFLICT:
                return f"there is a claim {wanted.name} already"
            return explained(fault).message
        return ""

    def _manifest(
        self, wanted: Wanted, copy: Copy, labels: Mapping[str, str], owner: str
    ) -> dict[str, Any]:
        source = self._copies.provider(wanted.provider).source(wanted.snapshot)
        return manifest(wanted, source, _size_of(wanted, copy), labels, owner)

    async def _classes(self) -> Mapping[str, ClassOfStorage] | None:
        """Return the storage classes by name, None if they may not be read."""
        try:
            found = await self._api.list(STORAGE_CLASSES)
        except Fault as fault:
            if fault.status == _FORBIDDEN:
                return None
            raise
        return {each.metadata.name: each for each in found}


def manifest(
    wanted: Wanted, source: Mapping[str, str], size: int, labels: Mapping[str, str], owner: str
) -> dict[str, Any]:
    """Return a claim that is filled from a source."""
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
            "dataSource": dict(source),
            **named,
        },
    }


def _held_by(job: Object) -> dict[str, str]:
    """Return the reference to the Job that a claim belongs to."""
    meta = job.metadata
    return {
        "apiVersion": JOBS.api_version,
        "kind": JOBS.kind,
        "name": meta.name,
        "uid": meta.uid,
    }


def _size_of(wanted: Wanted, copy: Copy) -> int:
    """Return the size of a new claim: never below what the driver needs for the content."""
    return max(wanted.size, copy.size)


async def found(
    restorer: Restorer, manifest: Manifest, request: RestoreRequest, name: str
) -> Found:
    """Return what is there for a session `name`. Raises Unavailable, NotAllowed."""
    wanted = wanted_of(manifest, name)
    refused = await restorer.problems(wanted, manifest.project)
    problems = {"folder": _NO_FOLDER} if request.folder else {}
    problems |= {f"volumes.{origin}": f"{origin}: {why}." for origin, why in refused.items()}
    warnings = [
        f"{origin}: the new volume has {size_quantity(size)}, as its copy needs that."
        for origin, size in (await restorer.larger(wanted)).items()
    ]
    if manifest.tree is None:
        warnings.append(_ENDED)
    return Found(
        folder=manifest.spec.folder,
        claims={each.origin: each.name for each in wanted},
        problems=problems,
        warnings=tuple(warnings),
    )


def wanted_of(manifest: Manifest, name: str) -> list[Wanted]:
    """Return the claims of a snapshot that a session `name` would get."""
    found = []
    for part in manifest.volumes:
        namespace, _, snapshot = part.handle.partition("/")
        if not snapshot:
            continue
        found.append(
            Wanted(
                namespace=namespace,
                snapshot=snapshot,
                name=claim_name(name, part.volume),
                origin=part.volume,
                storage_class=part.storage_class,
                size=part.size,
                modes=part.modes or ("ReadWriteOnce",),
                provider=part.provider,
            )
        )
    return found


def claims_of(
    spec: SessionSpec, owner: str, defaults: PodDefaults, wanted: Collection[str] | None = None
) -> dict[str, str]:
    """Return the path of each claim to copy: a session's home folder, and its volumes.

    `wanted` are the names of those that were chosen, None for all that it may write.
    """
    home = {claim_of(owner, defaults.home_claim): defaults.home} if defaults.home_claim else {}
    return home | {each.volume: each.path for each in copied(spec, wanted)}


def with_claims(spec: SessionSpec, made: Mapping[str, str], home: str, folder: str) -> SessionSpec:
    """Return a spec that mounts restored claims, by the names of their originals.

    The claim `home` is that of the owner's home folder, which all sessions share: what was restored
    of it is mounted at the path `folder`.
    """
    found = mounting(spec, made)
    if home not in made:
        return found
    return replace(found, volumes=(*found.volumes, Mount(volume=made[home], path=folder)))
