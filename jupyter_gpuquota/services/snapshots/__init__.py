"""Use cases of snapshots and of restoring them."""

from __future__ import annotations

from .restoring import plan, restore, restores
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
    "restore",
    "restores",
    "settings",
    "unpin",
    "verify",
]
