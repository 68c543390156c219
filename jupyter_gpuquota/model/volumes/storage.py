"""How much storage projects use."""

from __future__ import annotations

from typing import Literal, get_args

from ..struct import Model, Open, Request

StorageKind = Literal["datasets", "snapshots", "volumes"]
STORAGE_KINDS: tuple[StorageKind, ...] = get_args(StorageKind)

StorageBy = Literal["project", "user"]


class StorageUse(Model, frozen=True, kw_only=True):
    """What one kind of data of a project takes, in bytes.

    `size` is that of all items, each for itself; of volumes, what was requested. `stored` is what
    they take: contents that several have in common count once. `unknown` counts items of which that
    is not known. `owner` is empty where all users are added up, and for what admins have set up.
    """

    project: str
    kind: Open[StorageKind]
    owner: str = ""
    items: int = 0
    size: int = 0
    stored: int = 0
    unknown: int = 0


class StorageList(Model, frozen=True, kw_only=True):
    """The storage of the projects in which the caller has a role, by project, kind and owner.

    `problems` are lakes that do not answer, and what else is not known now.
    """

    items: tuple[StorageUse, ...] = ()
    problems: tuple[str, ...] = ()


class StorageQuery(Request, frozen=True, kw_only=True):
    """The project, empty for all; with `by` "user" each owner has rows.

    Leads and admins see those of all owners, others their own.
    """

    project: str = ""
    by: StorageBy = "project"
