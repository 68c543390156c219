"""The verbs of snapshots."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from ...environ import SESSION
from ...errors import Unavailable, WrongState
from ...model.datasets.jobs import Job
from ...model.datasets.lineage import Lineage
from ...model.snapshots.comparison import SnapshotCompareQuery, SnapshotComparison
from ...model.snapshots.snapshots import (
    Snapshot,
    SnapshotDetails,
    SnapshotFolder,
    SnapshotList,
    SnapshotQuery,
    SnapshotRequest,
)
from ...model.struct import error_of
from ..connection.protocol import Call, answers
from ..listing import Listing
from ..sessions import Sessions
from .exporting import is_streamed, unpacked
from .keeping import Keeping
from .program import program
from .reproducing import reproduce
from .restoring import Restoring
from .tables import SNAPSHOTS
from .variables import Dump, dump

_PAUSE = 0.3


class Snapshots(Restoring, Keeping):
    """Snapshots of the caller, named by an id, its beginning, a tag, or a session (its newest)."""

    def create(
        self,
        session: str = "",
        note: str = "",
        *,
        tags: Sequence[str] = (),
        metrics: Mapping[str, float] | None = None,
        artifacts: Sequence[str] = (),
        variables: Mapping[str, Any] | Dump | None = None,
        volumes: Sequence[str] | None = None,
        wait: bool = True,
    ) -> Snapshot:
        """Take a snapshot of a session, by default the one that this program runs in.

        `artifacts` are patterns of files that are recorded one by one, relative to the session's
        folder. `variables` of this program are stored with it, or those of a kernel of the
        session. `volumes` are the names of those to copy, by default all that the session may
        write. Without `wait` it returns while the snapshot is made. Raises NotFound, NotAllowed,
        WrongState, and what it has failed with.
        """
        request = _request(note, tags, metrics, artifacts, variables, volumes)
        return self._take(session, request, wait=wait)

    def from_code(
        self,
        note: str = "",
        *,
        tags: Sequence[str] = (),
        metrics: Mapping[str, float] | None = None,
        artifacts: Sequence[str] = (),
        variables: Mapping[str, Any] | None = None,
        volumes: Sequence[str] | None = None,
        wait: bool = True,
    ) -> Snapshot:
        """Take a snapshot of the session in which this program runs, with its command line.

        Everything else is as for `create`.
        """
        request = _request(note, tags, metrics, artifacts, variables, volumes)
        return self._take("", replace(request, program=program()), wait=wait)

    def follow(self, snapshot: str) -> Snapshot:
        """Wait until a snapshot is made, and return it. Raises what it has failed with."""
        while True:
            found = self.show(snapshot).snapshot
            snapshot = found.id if found.state == "making" else snapshot
            if found.state == "failed":
                raise error_of(found.problem) if found.problem else Unavailable("It has failed.")
            if found.state != "making":
                return found
            time.sleep(_PAUSE)

    def list(
        self, session: str = "", *, project: str = "", tag: str = "", text: str = ""
    ) -> Listing[Snapshot, SnapshotList]:
        """List snapshots, newest first; `text` is searched in notes, names and tags."""
        query = SnapshotQuery(session=session, project=project, tag=tag, text=text)
        found: SnapshotList = self._context.call("snapshots.list", query=query)
        return Listing(found, found.items, SNAPSHOTS)

    def show(self, snapshot: str) -> SnapshotDetails:
        """Return a snapshot with its manifest. Raises NotFound, Ambiguous."""
        found: SnapshotDetails = self._context.call("snapshots.get", {"snapshot": snapshot})
        return found

    def diff(self, before: str, after: str = "latest") -> SnapshotComparison:
        """Return what differs between two snapshots, once they are made."""
        query = SnapshotCompareQuery(other=self.follow(after).id)
        names = {"snapshot": self.follow(before).id}
        found: SnapshotComparison = self._context.call("snapshots.compare", names, query=query)
        return found

    def reproduce(
        self, snapshot: str, name: str = "", *, timeout: int = 3600
    ) -> SnapshotComparison:
        """Restore a snapshot into a new session, run it again there, and compare the results.

        The second snapshot is the one that the program takes of its new session, or else one that
        is taken at its end, with the metrics of its run in MLflow. Each program has `timeout`
        seconds. Raises Conflict for a program that fails, and what restoring raises.
        """
        return reproduce(self, Sessions(self._context), snapshot, name, timeout)

    def _take(self, session: str, request: SnapshotRequest, *, wait: bool) -> Snapshot:
        name = session or os.environ.get(SESSION, "")
        if not name:
            raise WrongState("Not in a session.", hint="Name the session to take a snapshot of.")
        args = {"id": name.replace("/", "~")}
        made: Snapshot = self._context.call("snapshots.create", args, body=request)
        return self.follow(made.id) if wait else made

    def lineage(self, snapshot: str) -> Lineage:
        """Return what a snapshot comes from, and what has come from it."""
        found: Lineage = self._context.call("snapshots.lineage", {"snapshot": snapshot})
        return found

    def remove(self, snapshot: str) -> None:
        """Remove a snapshot, or cancel its making. Raises InUse for one with a pin."""
        self._context.call("snapshots.delete", {"snapshot": snapshot})

    def verify(self, snapshot: str) -> Job:
        """Hash everything again, and return the job when it has ended. Raises Damaged."""
        job: Job = self._context.call("snapshots.verify", {"snapshot": snapshot})
        return self._ended(job)

    def export(self, snapshot: str, folder: str | os.PathLike[str]) -> Job:
        """Write the files of a snapshot to a new folder, and return the job when it has ended.

        Those of volumes of a cluster are written by this process; all of them, or none. Raises
        InvalidFields for a folder that cannot be made, Unavailable for a connection that breaks.
        """
        target, found = Path(folder).absolute(), self.show(snapshot)
        args = {"snapshot": found.snapshot.id}
        if found.manifest and is_streamed(found.manifest):
            parts = answers(self._context.transport(), Call("snapshots.files", args))
            return unpacked(parts, target)
        body = SnapshotFolder(folder=str(target))
        job: Job = self._context.call("snapshots.export", args, body=body)
        return self._ended(job)

    def _ended(self, job: Job) -> Job:
        while job.active:
            time.sleep(_PAUSE)
            job = self._context.call("jobs.get", {"job": job.id})
        if job.problem:
            raise error_of(job.problem)
        return job


def _request(
    note: str,
    tags: Sequence[str],
    metrics: Mapping[str, float] | None,
    artifacts: Sequence[str],
    variables: Mapping[str, Any] | Dump | None,
    volumes: Sequence[str] | None,
) -> SnapshotRequest:
    stored = variables if isinstance(variables, Dump) else dump(variables or {})
    return SnapshotRequest(
        note=note,
        tags=tuple(tags),
        metrics=dict(metrics or {}),
        artifacts=tuple(artifacts),
        variables=stored.names,
        dump=stored.file,
        notebook=stored.notebook,
        volumes=None if volumes is None else tuple(volumes),
    )
