"""The verbs of restoring snapshots."""

from __future__ import annotations

import os
import time
from pathlib import Path

import msgspec

from ...errors import Unavailable
from ...model.snapshots.restore import (
    Restoration,
    RestorationList,
    RestorePlan,
    RestoreRequest,
)
from ...model.struct import error_of
from ..listing import Listing
from ..namespace import Namespace
from .tables import RESTORES

_PAUSE = 0.3


class Restoring(Namespace):
    """Restoring: always into a new folder, and a new session."""

    def plan(self, snapshot: str, request: RestoreRequest | None = None) -> RestorePlan:
        """Return what a restore would make, and what stands against it. Nothing is made."""
        body = request or RestoreRequest()
        body = msgspec.structs.replace(body, folder=_absolute(body.folder))
        found: RestorePlan = self._context.call("snapshots.plan", {"snapshot": snapshot}, body=body)
        return found

    def restore(
        self,
        snapshot: str,
        name: str = "",
        *,
        folder: str | os.PathLike[str] = "",
        replace: bool = False,
        variables: bool = False,
        wait: bool = True,
    ) -> Restoration:
        """Restore a snapshot into a new folder, and launch a session in it.

        With `replace` the restored folder and volumes, on a cluster the volumes, take the place of
        the session's, which are kept until `confirm`; `undo` puts them back. With `variables` those
        that were stored are restored, for `jupyter_gpuquota.variables()`: they are code. Raises
        InvalidFields with all that stands against it, and what the restore has failed with.
        """
        where = _absolute(folder)
        body = RestoreRequest(name=name, folder=where, replace=replace, variables=variables)
        begun: Restoration = self._context.call(
            "snapshots.restore", {"snapshot": snapshot}, body=body
        )
        return self._end_of(begun) if wait else begun

    def restores(self) -> Listing[Restoration, RestorationList]:
        """List restores, newest first."""
        found: RestorationList = self._context.call("snapshots.restores")
        return Listing(found, found.items, RESTORES)

    def replace(self, restore: str) -> Restoration:
        """Put what was restored in the place of the original, which is kept."""
        return self._end_of(self._context.call("snapshots.replace", {"restore": restore}))

    def undo(self, restore: str) -> Restoration:
        """Put the original back in its place."""
        return self._end_of(self._context.call("snapshots.undo", {"restore": restore}))

    def confirm(self, restore: str) -> Restoration:
        """Forget a restore, and return it; a replacement's original is removed."""
        known: Restoration = self._context.call("snapshots.restoration", {"restore": restore})
        self._context.call("snapshots.confirm", {"restore": known.id})
        return known

    def _end_of(self, restore: Restoration) -> Restoration:
        while restore.active:
            time.sleep(_PAUSE)
            restore = self._context.call("snapshots.restoration", {"restore": restore.id})
        if restore.problem:
            raise error_of(restore.problem)
        if restore.state == "failed":
            raise Unavailable("The restore has failed.")
        return restore


def _absolute(folder: str | os.PathLike[str]) -> str:
    """Return the path of a folder, empty for none."""
    return str(Path(folder).absolute()) if folder else ""
