"""Use cases of snapshots and of restoring them."""

from __future__ import annotations

from .restoring import confirm, plan, replace, restoration, restore, restores, undo
from .taking import (
    compare,
    create,
    delete,
    export,
    files,
    get,
    lineage,
    list_,
    mark,
    pin,
    put_settings,
    settings,
    unpin,
    verify,
)

__all__ = [
    "compare",
    "confirm",
    "create",
    "delete",
    "export",
    "files",
    "get",
    "lineage",
    "list_",
    "mark",
    "pin",
    "plan",
    "put_settings",
    "replace",
    "restoration",
    "restore",
    "restores",
    "settings",
    "undo",
    "unpin",
    "verify",
]
