"""The port `Volumes` on a cluster: claims in the namespaces of projects.

What can be cloned into a new claim. Pure.

See https://kubernetes.io/docs/concepts/storage/volume-pvc-datasource/.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Protocol

from msgspec.structs import replace

from ...core.requests.quantities import size_quantity
from ...core.volumes.uses import in_use
from ...errors import (
    FieldError,
    GpuQuotaError,
    InvalidFields,
    NotFound,
    Unavailable,
    refuse,
    refused,
)
from ...model.messages.build import field_error
from ...model.sessions import SessionRequest
from ...model.volumes.mounts import Mount
from ...model.volumes.volumes import NewVolume, StorageClass, Volume, VolumeChange
from ..api import Api, Fault
from ..faults import error as explained
from ..faults import translated
from ..labels import DESCRIPTION, READ_ONLY
from ..objects.storage import Claim
from ..resources import CLAIMS
from .conflicts import conflicts, over_quota, quota_errors
from .facts import Facts
from .manifests import claim as manifest
from .modes import usual_mode
from .quotas import Demand
from .reading import Around, requested_size, size_of, volume_of
from .sight import Sight
from .used import Key

_NOT_FOUND = 404

Nodes = Callable[[SessionRequest, str], frozenset[str] | None]
"""Returns the nodes on which a session of a project may run, None if they are not known."""


Home = Callable[[str], Mount | None]
"""Returns how the home folder of a user is mounted, None where it is no claim."""


class Measured(Protocol):
    """What was measured of claims."""

    used: dict[Key, int]
    """The bytes that are used."""

    @property
    def problem(self) -> str:
        """Why they are not known, empty if they are, or cannot be."""


class ClusterVolumes:
    """The claims of projects, from memory; writes go to the API server.

    `measured` has the bytes used of each claim, `nodes` returns where a session may run, `home` its
    owner's home folder.
    """

    def __init__(
        self,
        api: Api,
        sight: Sight,
        nodes: Nodes,
        measured: Measured,
        home: Home,
    ) -> None:
        self._api = api
        self._sight = sight
        self._nodes = nodes
        self._measured = measured
        self._home = home

    def all(self) -> tuple[Volume, ...]:
        """Return all volumes by project and name, with their uses."""
        return self._sight.all(self._measured.used)

    def classes(self, project: str = "") -> tuple[StorageClass, ...]:
        """Return the storage classes, the default one first; they are the same in all projects."""
        return self._sight.classes()

    def knows(self, project: str) -> bool:
        """Return whether the claims of a project may be read."""
        return self._sight.reads(project)

    def problems(self) -> tuple[str, ...]:
        """Return what is not known now, and why."""
        return tuple(text for text in (*self._sight.problems(), self._measured.problem) if text)

    async def create(self, wanted: NewVolume) -> Volume:
        """Create a claim. Raises InvalidFields, NameTaken, Conflict, NotAllowed, Unavailable."""
        if wanted.folder:
            raise refused(field_error("folder", "volume.no_folder"))
        source = self._source(wanted)
        size = wanted.size or (size_of(source) if source else 0)
        if not size:
            raise refused(field_error("size", "pod.value", value=repr(""), example="10Gi"))
        demand = Demand(size, wanted.storage_class, wanted.level)
        self._check_quota("size", wanted.project, demand)
        body = manifest(replace(wanted, size=size))
        with translated():
            made = await self._api.create(CLAIMS, wanted.project, body)
        return self._shown(made)

    async def change(self, volume: Volume, change: VolumeChange, size: int | None) -> Volume:
        """Grow a claim, or change its level and notes.

        Raises NotFound, InvalidFields, Conflict, NotAllowed, Unavailable.
        """
        claim = self._find(volume)
        grown = size - requested_size(claim) if size is not None else 0
        if grown > 0:
            demand = Demand(grown, volume.storage_class, volume.level, claims=0)
            self._check_quota("size", volume.project, demand)
        body = _patch(claim, change, size)
        with translated():
            changed = await self._api.patch(CLAIMS, volume.project, volume.name, body)
        return self._shown(changed)

    async def delete(self, volume: Volume) -> None:
        """Delete a claim. Raises NotFound, InUse, Conflict, NotAllowed, Unavailable."""
        claim = self._find(volume)
        found = (each for each in self.all() if (each.project, each.name) == claim.key)
        for each in found:
            if problem := in_use(each):
                raise problem
        uid = claim.metadata.uid
        with translated():
            await self._api.delete(CLAIMS, volume.project, volume.name, uid=uid)
        await self._deleted(claim)

    async def check(
        self, request: SessionRequest, project: str, mounts: Mapping[str, Mount], owner: str
    ) -> tuple[FieldError, ...]:
        """Return why a session of a project could not mount these volumes, by field.

        The home folder of its owner is mounted with them, and comes first.
        """
        sight, home = self._sight, self._home(owner)
        existing = [mount for mount in mounts.values() if not mount.size]
        known = sight.known(project, request.name, existing, home)
        mounted = {**({"volumes": home} if home else {}), **mounts}
        errors = [
            *conflicts(mounted, known, self._nodes(request, project)),
            *over_quota(mounts, sight.quotas(project), project),
        ]
        new = {field: mount for field, mount in mounts.items() if mount.size}
        if not errors:
            errors += [e for f, m in new.items() if (e := await self._tried(f, m, project))]
        return tuple(errors)

    async def _tried(self, field: str, mount: Mount, project: str) -> FieldError | None:
        """Return why the API server refuses a claim that a session asks for, None if it does not.

        Its own quotas and rules decide, and the controller's right to create claims.
        """
        wanted = NewVolume(
            name=mount.volume,
            project=project,
            owner="",
            storage_class=mount.storage_class,
            size=mount.size,
            mode=usual_mode(mount.storage_class, self.classes()),
        )
        try:
            await self._api.create(CLAIMS, project, manifest(wanted), dry_run=True)
        except Fault as fault:
            error = explained(fault)
            if isinstance(error, Unavailable):
                raise error from fault
            return FieldError(field, *_told(error))
        return None

    def _check_quota(self, field: str, project: str, demand: Demand) -> None:
        refuse(quota_errors(field, self._sight.quotas(project), [demand], project))

    def _source(self, wanted: NewVolume) -> Claim | None:
        """Return the claim to clone, None for none. Raises InvalidFields."""
        kind, _, name = wanted.source.partition(":")
        if kind != "volume":
            return None
        source = self._sight.claim(wanted.project, name)
        if source is None:
            raise refused(field_error("source", "volume.unknown.none", name=name))
        facts = self._sight.facts(source, "")
        refuse(clone_errors(wanted, facts, self.classes(), is_csi=_is_csi(facts)))
        return source

    def _find(self, volume: Volume) -> Claim:
        claim = self._sight.claim(volume.project, volume.name)
        if claim is None:
            raise NotFound(f"Volume {volume.name!r} not found in {volume.project}.")
        return claim

    def _shown(self, claim: Claim) -> Volume:
        """Return a claim that was written, which is listed from now on."""
        self._sight.claims.answered(claim)
        found = (v for v in self.all() if (v.project, v.name) == claim.key)
        return next(found, volume_of(claim, Around()))

    async def _deleted(self, claim: Claim) -> None:
        """Take note that a claim is being deleted: one that a pod mounts stays until that ends."""
        try:
            self._sight.claims.answered(await self._api.get(CLAIMS, *claim.key))
        except Fault as fault:
            if fault.status != _NOT_FOUND:
                raise explained(fault) from fault
            self._sight.claims.gone(claim)


def _patch(claim: Claim, change: VolumeChange, size: int | None) -> dict[str, Any]:
    """Return what to write; it fails on another claim of the same name."""
    annotations: dict[str, str | None] = {}
    if change.description is not None:
        annotations[DESCRIPTION] = change.description or None
    if change.read_only is not None:
        annotations[READ_ONLY] = "true" if change.read_only else None
    spec: dict[str, Any] = {}
    if size is not None and size != requested_size(claim):
        spec["resources"] = {"requests": {"storage": str(size)}}
    if change.level is not None:
        spec["volumeAttributesClassName"] = change.level or None
    meta: dict[str, Any] = {"uid": claim.metadata.uid}
    if annotations:
        meta["annotations"] = annotations
    return {"metadata": meta, **({"spec": spec} if spec else {})}


def _told(error: GpuQuotaError) -> tuple[str, str]:
    """Return the words of an error, with those of its fields."""
    fields = error.fields if isinstance(error, InvalidFields) else ()
    return (" ".join(each.message for each in fields) or error.message), error.hint


def _is_csi(facts: Facts) -> bool | None:
    """Return whether a driver made the volume of a claim, None if that is not known."""
    return None if facts.volume is None else facts.volume.spec.csi is not None


def clone_errors(
    wanted: NewVolume, facts: Facts, classes: Iterable[StorageClass], *, is_csi: bool | None
) -> Iterator[FieldError]:
    """Yield why a claim cannot be cloned; `is_csi` is whether a driver made its volume.

    A clone of a volume that programs write to would hold half of what they write.
    """
    claim = facts.claim
    name, least = claim.metadata.name, size_of(claim)
    if claim.status.phase != "Bound" or claim.metadata.deletion_timestamp:
        yield field_error("source", "volume.unclonable", volume=name, why="has no volume yet")
    elif is_csi is False:
        yield field_error("source", "volume.unclonable", volume=name, why="has no CSI driver")
    elif facts.mounted:
        users = ", ".join(dict.fromkeys(each.name for each in facts.mounted))
        yield field_error("source", "volume.unclonable", volume=name, why=f"is used by {users}")
    drivers = {each.name: each.provisioner for each in classes}
    own, other = claim.spec.storage_class_name or "", wanted.storage_class
    if {own, other} <= drivers.keys() and drivers[own] != drivers[other]:
        same = ",".join(name for name, driver in drivers.items() if driver == drivers[own])
        yield field_error("storage_class", "field.choice", value=repr(other), choices=same)
    if 0 < wanted.size < least:
        yield field_error("size", "volume.small", volume=name, size=size_quantity(least))
