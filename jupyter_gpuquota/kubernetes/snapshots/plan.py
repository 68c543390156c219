"""How the claims of a session are copied: together where the cluster can, else one by one. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..objects.snapshots import SnapshotClass
from ..objects.storage import Claim, ClassOfStorage
from .discovery import Offer

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


@dataclass(frozen=True, slots=True)
class Batch:
    """Claims that are copied at the same moment, by one driver and class.

    `version` is that of group snapshots; empty for a single claim. `why` says why claims that
    could have been copied together are not.
    """

    driver: str
    snapshot_class: str
    claims: tuple[str, ...]
    version: str = ""
    is_copy: bool = False
    why: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be done, and by claim why it cannot be done for some."""

    batches: tuple[Batch, ...]
    problems: Mapping[str, str]


class NoClass(Exception):
    """No class of snapshots can be chosen; the text says why, and what to do."""


def driver_of(claim: Claim, classes: Iterable[ClassOfStorage] = ()) -> str:
    """Return the driver of a claim, empty if it cannot be known.

    The annotation needs no rights outside of the claim's namespace.
    """
    for key in PROVISIONER:
        if driver := claim.metadata.annotations.get(key, ""):
            return driver
    name = claim.spec.storage_class_name
    return next((each.provisioner for each in classes if each.metadata.name == name), "")


def class_for(driver: str, classes: Iterable[SnapshotClass]) -> SnapshotClass:
    """Return the class of a driver: the default one, else the only one. Raises NoClass."""
    own = [each for each in classes if each.driver == driver]
    if not own:
        raise NoClass(
            f"no snapshot class belongs to the driver {driver}: an administrator has to create one"
        )
    default = [each for each in own if _is_default(each)]
    chosen = default or own
    if len(chosen) > 1:
        names = ", ".join(sorted(each.metadata.name for each in chosen))
        raise NoClass(
            f"the driver {driver} has several snapshot classes ({names}): "
            "an administrator has to make one of them the default"
        )
    return chosen[0]


def plan(
    claims: Sequence[Claim],
    offer: Offer,
    storage: Collection[ClassOfStorage] = (),
    copying: Collection[str] = COPYING,
) -> Plan:
    """Return how claims are copied."""
    problems: dict[str, str] = {}
    by_driver: defaultdict[str, list[str]] = defaultdict(list)
    for claim in claims:
        name = claim.metadata.name
        if problem := _unfit(claim, offer, driver := driver_of(claim, storage)):
            problems[name] = problem
        else:
            by_driver[driver].append(name)
    batches: list[Batch] = []
    for driver, names in by_driver.items():
        try:
            batches += _batches(driver, names, offer, is_copy=driver in copying)
        except NoClass as error:
            problems |= dict.fromkeys(names, str(error))
    return Plan(tuple(batches), problems)


def one_by_one(batch: Batch, offer: Offer, why: str) -> list[Batch]:
    """Return the batches for each claim of a group that could not be taken. Raises NoClass."""
    name = class_for(batch.driver, offer.classes).metadata.name
    return [
        Batch(batch.driver, name, (claim,), is_copy=batch.is_copy, why=why)
        for claim in batch.claims
    ]


def _unfit(claim: Claim, offer: Offer, driver: str) -> str:
    """Return why a claim cannot be copied, empty if it can."""
    if not offer.is_installed:
        return "the cluster has no snapshots (VolumeSnapshot): an administrator has to install them"
    if claim.metadata.deletion_timestamp:
        return "the claim is being deleted"
    if claim.status.phase != "Bound":
        return "the claim has no volume yet"
    return "" if driver else "the claim's volume was not made by a CSI driver"


def _batches(driver: str, names: list[str], offer: Offer, *, is_copy: bool) -> list[Batch]:
    if len(names) == 1:
        chosen = class_for(driver, offer.classes)
        return [Batch(driver, chosen.metadata.name, (names[0],), is_copy=is_copy)]
    single = Batch(driver, "", tuple(names), is_copy=is_copy)
    if not offer.version:
        return one_by_one(single, offer, "the cluster has no group snapshots")
    try:
        chosen = class_for(driver, offer.group_classes)
    except NoClass as error:
        return one_by_one(single, offer, str(error))
    return [Batch(driver, chosen.metadata.name, tuple(names), offer.version, is_copy)]


def _is_default(each: SnapshotClass) -> bool:
    annotations = each.metadata.annotations
    return any(
        key.endswith(f"/{DEFAULT}") and value == "true" for key, value in annotations.items()
    )
