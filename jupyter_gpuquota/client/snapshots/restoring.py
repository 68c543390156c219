"""The verbs of restoring snapshots."""

from __future__ import annotations

import os
import time
from pathlib import Path

import msgspec

from ...errors import NotFound, Unavailable
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
        variables: bool = False,
        wait: bool = True,
    ) -> Restoration:
        """Restore a snapshot into a new folder, and launch a session in it.

        With `variables` those that were stored are restored, for `jupyter_gpuquota.variables()`:
        they are code. Raises InvalidFields with all that stands against it, and what the restore
        has failed with.
        """
        body = RestoreRequest(name=name, folder=_absolute(folder), variables=variables)
        begun: Restoration = self._context.call(
            "snapshots.restore", {"snapshot": snapshot}, body=body
        )
        return self._end_of(begun) if wait else begun

    def restores(self) -> Listing[Restoration, RestorationList]:
        """List the restores that go on or have ended within a day, newest first."""
        found: RestorationList = self._context.call("snapshots.restores")
        return Listing(found, found.items, RESTORES)

    def _end_of(self, restore: Restoration) -> Restoration:
        while restore.active:
            time.sleep(_PAUSE)
            known = {each.id: each for each in self.restores()}
            if restore.id not in known:
                raise NotFound("The restore is gone.", hint="Restore the snapshot again.")
            restore = known[restore.id]
        if restore.problem:
            raise error_of(restore.problem)
        if restore.state == "failed":
            raise Unavailable("The restore has failed.")
        return restore


def _absolute(folder: str | os.PathLike[str]) -> str:
    """Return the path of a folder, empty for none."""
    return str(Path(folder).absolute()) if folder else ""
