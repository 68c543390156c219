"""How the claims of a session are copied: together where the cluster can, else one by one. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ..objects.snapshots import SnapshotClass
from ..objects.storage import Claim, ClassOfStorage, PersistentVolume
from ..volumes.reading import waits
from .kinds import SELECTED_NODE, Offer

SINGLE, GROUP, CLONE = "csi", "csi-group", "clone"
"""What makes copies: VolumeSnapshots, groups of them, and clones of claims."""

DEFAULT = "is-default-class"
"""The end of the annotation of a driver's default class, of snapshots as of groups."""
PROVISIONER = (
    "volume.kubernetes.io/storage-provisioner",
    "volume.beta.kubernetes.io/storage-provisioner",
)
"""Annotations in which Kubernetes notes the driver of a claim."""
COPYING = frozenset({"nfs.csi.k8s.io", "hostpath.csi.k8s.io", "smb.csi.k8s.io"})
"""Drivers that copy files one after another: what is written meanwhile may be in it or not.

https://github.com/kubernetes-csi/csi-driver-nfs/blob/master/pkg/nfs/controllerserver.go
"""
_NONE = "the cluster has no snapshots (VolumeSnapshot): an administrator has to install them"


@dataclass(frozen=True, slots=True)
class Batch:
    """Claims that are copied at the same moment, by one driver and way.

    `apart` are the batches of single claims, for a group that fails. `why` says why claims that
    could have been copied together are not.
    """

    driver: str
    way: str
    claims: tuple[str, ...]
    snapshot_class: str = ""
    version: str = ""
    is_copy: bool = False
    why: str = ""
    apart: tuple[Batch, ...] = ()

    @property
    def provider(self) -> str:
        """What makes the copies, as manifests name it."""
        return f"{self.way}/{self.version}" if self.version else self.way


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be done, and by claim why it cannot be done for some."""

    batches: tuple[Batch, ...]
    problems: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Storage:
    """The classes and volumes of claims, as far as they may be read.

    `copying` are drivers whose snapshots are copies of files.
    """

    classes: Collection[ClassOfStorage] = ()
    volumes: Collection[PersistentVolume] = ()
    copying: Collection[str] = COPYING

    def class_of(self, claim: Claim) -> ClassOfStorage | None:
        """Return the class of a claim, None if it is not known."""
        name = claim.spec.storage_class_name
        return next((each for each in self.classes if each.metadata.name == name), None)

    def volume_of(self, claim: Claim) -> PersistentVolume | None:
        """Return the volume of a claim, None if it is not known."""
        name = claim.spec.volume_name
        return next((each for each in self.volumes if each.metadata.name == name), None)


class NotCopied(Exception):
    """A claim cannot be copied; the text says why, and what to do."""


class NoClass(NotCopied):
    """A driver has no class of snapshots."""


def driver_of(claim: Claim, storage: Storage) -> str:
    """Return the driver of a claim, empty if it cannot be known.

    The annotation needs no rights outside of the claim's namespace.
    """
    for key in PROVISIONER:
        if driver := claim.metadata.annotations.get(key, ""):
            return driver
    kind = storage.class_of(claim)
    return kind.provisioner if kind else ""


def class_for(driver: str, classes: Iterable[SnapshotClass]) -> SnapshotClass:
    """Return the class of a driver: the default one, else the only one.

    Raises NoClass, and NotCopied if one of several would have to be chosen.
    """
    own = [each for each in classes if each.driver == driver]
    if not own:
        raise NoClass(
            f"no snapshot class belongs to the driver {driver}: an administrator has to create one"
        )
    default = [each for each in own if _is_default(each)]
    chosen = default or own
    if len(chosen) > 1:
        names = ", ".join(sorted(each.metadata.name for each in chosen))
        raise NotCopied(
            f"the driver {driver} has several snapshot classes ({names}): "
            "an administrator has to make one of them the default"
        )
    return chosen[0]


def plan(claims: Sequence[Claim], offer: Offer, storage: Storage | None = None) -> Plan:
    """Return how claims are copied."""
    storage = storage or Storage()
    problems: dict[str, str] = {}
    by_driver: defaultdict[str, list[Batch]] = defaultdict(list)
    for claim in claims:
        try:
            batch = _single(claim, offer, storage)
            by_driver[batch.driver].append(batch)
        except NotCopied as error:
            problems[claim.metadata.name] = str(error)
    batches = [each for found in by_driver.values() for each in _together(found, offer)]
    return Plan(tuple(batches), problems)


def _single(claim: Claim, offer: Offer, storage: Storage) -> Batch:
    """Return how a claim is copied by itself: by a snapshot, else by a clone. Raises NotCopied."""
    driver, claims = driver_of(claim, storage), (claim.metadata.name,)
    if problem := _unfit(claim, driver):
        raise NotCopied(problem)
    try:
        chosen = class_for(driver, offer.classes)
    except NoClass as error:
        if why := _unclonable(claim, storage):
            raise NotCopied(f"{error if offer.is_installed else _NONE}; {why}") from error
        # Whether a driver clones at once is not known, nor whether it may while files are written.
        return Batch(driver, CLONE, claims, is_copy=True)
    name, is_copy = chosen.metadata.name, driver in storage.copying
    return Batch(driver, SINGLE, claims, name, is_copy=is_copy)


def _together(singles: Sequence[Batch], offer: Offer) -> Sequence[Batch]:
    """Return how the claims of one driver are copied, given how each would be by itself."""
    if len(singles) == 1:
        return singles
    try:
        if not offer.version:
            raise NoClass("the cluster has no group snapshots")
        chosen = class_for(singles[0].driver, offer.group_classes)
    except NotCopied as error:
        return [replace(each, why=str(error)) for each in singles]
    claims = tuple(name for each in singles for name in each.claims)
    group = Batch(singles[0].driver, GROUP, claims, chosen.metadata.name, offer.version)
    copying = all(each.is_copy for each in singles)
    return [replace(group, is_copy=copying, apart=tuple(singles))]


def _unfit(claim: Claim, driver: str) -> str:
    """Return why a claim cannot be copied in any way, empty if it can."""
    if claim.metadata.deletion_timestamp:
        return "the claim is being deleted"
    if claim.status.phase != "Bound":
        return "the claim has no volume yet"
    return "" if driver else "the claim's volume was not made by a CSI driver"


def _unclonable(claim: Claim, storage: Storage) -> str:
    """Return why a claim cannot be cloned, empty if its driver can be asked to.

    What is no CSI driver would make an empty volume instead.
    """
    volume, kind = storage.volume_of(claim), storage.class_of(claim)
    if volume is None or kind is None:
        return "whether it can be cloned is not known, as its volume or class may not be read"
    if volume.spec.csi is None or volume.spec.csi.driver != kind.provisioner:
        return "it cannot be cloned, as its storage class is not of the CSI driver of its volume"
    if waits(kind) and not claim.metadata.annotations.get(SELECTED_NODE):
        return "it cannot be cloned, as its storage class waits for a pod, and it has had none"
    return ""


def _is_default(each: SnapshotClass) -> bool:
    annotations = each.metadata.annotations
    return any(
        key.endswith(f"/{DEFAULT}") and value == "true" for key, value in annotations.items()
    )
