"""Volumes: shared folders of this machine, or claims of a cluster, that sessions mount."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, get_args

from ..reasons import Reason
from ..struct import Model, Number, Open, Request
from .mounts import VolumeUse

VolumeKind = Literal["folder", "claim"]
AccessMode = Literal["RWO", "ROX", "RWX", "RWOP"]
VolumeState = Literal["ready", "pending", "lost", "removing"]
VolumeAction = Literal["mount", "change", "delete"]

ACCESS_MODES: tuple[AccessMode, ...] = get_args(AccessMode)
VOLUME_ACTIONS: tuple[VolumeAction, ...] = get_args(VolumeAction)

FOLDER = "folder"
"""The storage class of folders on this machine."""


class Volume(Model, frozen=True, kw_only=True):
    """One volume, as a caller sees it.

    `owner` is empty for those that admins set up. `folder` is its path on this machine, for callers
    who may mount it; `registered`: it was there before, and deleting the volume keeps its files.
    `size` and `used` are in bytes; `size` is 0 without a limit, which the file system keeps if
    `enforced`, and `used` None if it is not known. `reason` is why it is not ready, or what is
    wrong with it. It can be reached on `nodes` and in `zones` only, everywhere if both are empty.
    `level` is its VolumeAttributesClass, `source` what it was cloned from. `actions` are what the
    caller may do.
    """

    name: str
    project: str
    owner: str = ""
    kind: Open[VolumeKind] = "folder"
    folder: str = ""
    registered: bool = False
    description: str = ""
    storage_class: str = ""
    size: int = 0
    used: int | None = None
    enforced: bool = False
    modes: tuple[Open[AccessMode], ...] = ()
    read_only: bool = False
    state: Open[VolumeState] = "ready"
    reason: Reason | None = None
    nodes: tuple[str, ...] = ()
    zones: tuple[str, ...] = ()
    uses: tuple[VolumeUse, ...] = ()
    created: datetime | None = None
    level: str = ""
    source: str = ""
    actions: tuple[Open[VolumeAction], ...] = ()


class StorageClass(Model, frozen=True, kw_only=True):
    """What volumes can be made of.

    `expandable`: its volumes can grow. `waits`: a volume is made when the first session mounts it.
    `levels` are the VolumeAttributesClasses of its driver. `modes` are the access modes that it is
    known to have, empty if that is not known.
    """

    name: str
    default: bool = False
    provisioner: str = ""
    expandable: bool = True
    waits: bool = False
    levels: tuple[str, ...] = ()
    modes: tuple[Open[AccessMode], ...] = ()


class VolumeList(Model, frozen=True, kw_only=True):
    """The volumes that the caller may see, by project and name, and the classes for new ones.

    `problems` say what is not known, and why.
    """

    items: tuple[Volume, ...] = ()
    classes: tuple[StorageClass, ...] = ()
    problems: tuple[str, ...] = ()


class VolumeQuery(Request, frozen=True, kw_only=True):
    """Filter of the list of volumes; an empty `project` means any."""

    project: str = ""


class VolumeRequest(Request, frozen=True, kw_only=True):
    """A volume to create, as a user types it.

    `project` is the caller's first one if it is empty, `storage_class` the default. `size` is a
    quantity (`10Gi`; empty or 0: no limit, where the class allows that), `mode` an access mode.
    `folder` is an existing folder of this machine to share instead of a new one. `source` is
    `volume:NAME`, a volume of the project to clone.
    """

    name: str
    project: str = ""
    description: str = ""
    storage_class: str = ""
    size: Number = ""
    mode: str = ""
    folder: str = ""
    read_only: bool = False
    level: str = ""
    source: str = ""


class VolumeChange(Request, frozen=True, kw_only=True):
    """What to change of a volume; None keeps what is there."""

    size: Number | None = None
    level: str | None = None
    read_only: bool | None = None
    description: str | None = None


class NewVolume(Model, frozen=True, kw_only=True):
    """A checked request: every value can be used as it is; `size` is in bytes."""

    name: str
    project: str
    owner: str
    description: str = ""
    storage_class: str = ""
    size: int = 0
    mode: Open[AccessMode] = "RWX"
    folder: str = ""
    read_only: bool = False
    level: str = ""
    source: str = ""


class VolumeEntry(Request, frozen=True, kw_only=True):
    """A folder that an admin shares with projects, in the quota file."""

    name: str
    folder: str
    projects: tuple[str, ...]
    read_only: bool = False
    size: Number = ""
    description: str = ""


class SharedFolder(Model, frozen=True, kw_only=True):
    """A checked `VolumeEntry`; `size` is in bytes."""

    name: str
    folder: str
    projects: tuple[str, ...]
    read_only: bool = False
    size: int = 0
    description: str = ""
