"""Access modes: their short names, and those that drivers are known to have. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import cast

from ...model.volumes.volumes import AccessMode, StorageClass

LONG: Mapping[AccessMode, str] = {
    "RWO": "ReadWriteOnce",
    "ROX": "ReadOnlyMany",
    "RWX": "ReadWriteMany",
    "RWOP": "ReadWriteOncePod",
}
"""The names that the API has for the modes."""
_SHORT = {long: short for short, long in LONG.items()}

_BLOCK: tuple[AccessMode, ...] = ("RWO", "RWOP")
_SHARED: tuple[AccessMode, ...] = ("RWO", "ROX", "RWX", "RWOP")
_BY_DRIVER: Mapping[str, tuple[AccessMode, ...]] = {
    "ebs.csi.aws.com": _BLOCK,
    "pd.csi.storage.gke.io": ("RWO", "ROX", "RWOP"),
    "disk.csi.azure.com": _BLOCK,
    "rancher.io/local-path": _BLOCK,
    "*rbd.csi.ceph.com": ("RWO", "ROX", "RWOP"),
    "efs.csi.aws.com": _SHARED,
    "filestore.csi.storage.gke.io": _SHARED,
    "file.csi.azure.com": _SHARED,
    "nfs.csi.k8s.io": _SHARED,
    "*cephfs.csi.ceph.com": _SHARED,
}
"""The modes of file systems on common drivers, by their own documentation."""


def short(modes: Iterable[str]) -> tuple[AccessMode, ...]:
    """Return modes by their short names; those of later versions stay as they are."""
    return tuple(_SHORT.get(mode, cast("AccessMode", mode)) for mode in modes)


def of_driver(provisioner: str) -> tuple[AccessMode, ...]:
    """Return the modes that a driver is known to have, empty if that is not known."""
    found = (modes for name, modes in _BY_DRIVER.items() if fnmatchcase(provisioner, name))
    return next(found, ())


def usual_mode(storage_class: str, classes: Iterable[StorageClass]) -> AccessMode:
    """Return the mode of a claim that is made with a session: RWX only if its class has that.

    Without a name it is the default class. A claim with a mode that its driver does not have is
    never bound.
    """
    for each in classes:
        if each.name == storage_class or (each.default and not storage_class):
            return "RWX" if "RWX" in each.modes else "RWO"
    return "RWO"
