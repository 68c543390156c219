"""What can be cloned into a new claim. Pure.

See https://kubernetes.io/docs/concepts/storage/volume-pvc-datasource/.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...core.requests.quantities import size_quantity
from ...errors import FieldError
from ...model.messages.build import field_error
from ...model.volumes.volumes import NewVolume, StorageClass
from .facts import Facts
from .reading import size_of


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
