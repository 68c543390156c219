"""The verbs of snapshots: taking, finding, comparing, keeping and restoring them."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypedDict, Unpack

import msgspec
from msgspec.structs import replace

from ...environ import NOTEBOOK, SESSION
from ...errors import Conflict, NotFound, Unavailable, WrongState
from ...model.datasets.jobs import Job
from ...model.datasets.lineage import Lineage
from ...model.snapshots.comparison import SnapshotCompareQuery, SnapshotComparison
from ...model.snapshots.restore import Restoration, RestorationList, RestorePlan, RestoreRequest
from ...model.snapshots.snapshots import (
    Snapshot,
    SnapshotDetails,
    SnapshotFolder,
    SnapshotList,
    SnapshotMarks,
    SnapshotPinRequest,
    SnapshotPreview,
    SnapshotQuery,
    SnapshotRequest,
    SnapshotRulesRequest,
    SnapshotSettings,
)
from ...model.struct import error_of
from ..connection.protocol import Call, answers
from ..listing import Listing
from ..namespace import Namespace
from ..sessions import Sessions
from . import environments
from .export import is_streamed, unpacked
from .tables import RESTORES, SNAPSHOTS
from .variables import Dump, dump

_PAUSE = 0.3
_SAID = 500


class Keeping(Namespace):
    """What decides how long snapshots stay."""

    def tag(self, snapshot: str, *tags: str) -> Snapshot:
        """Replace the tags of a snapshot."""
        body = SnapshotMarks(tags=tags)
        found: Snapshot = self._context.call("snapshots.mark", {"snapshot": snapshot}, body=body)
        return found

    def pin(self, snapshot: str, why: str = "") -> Snapshot:
        """Keep a snapshot whatever the rules say."""
        body = SnapshotPinRequest(why=why)
        found: Snapshot = self._context.call("snapshots.pin", {"snapshot": snapshot}, body=body)
        return found

    def unpin(self, snapshot: str) -> Snapshot:
        """Remove the pin of a snapshot."""
        found: Snapshot = self._context.call("snapshots.unpin", {"snapshot": snapshot})
        return found

    def settings(self) -> SnapshotSettings:
        """Return when snapshots are taken and removed by themselves."""
        found: SnapshotSettings = self._context.call("snapshots.settings")
        return found

    def put_settings(self, rules: SnapshotRulesRequest) -> SnapshotSettings:
        """Set when snapshots are taken and removed by themselves. Raises InvalidFields."""
        found: SnapshotSettings = self._context.call("snapshots.put_settings", body=rules)
        return found


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
        environment: str = "",
        wait: bool = True,
    ) -> Restoration:
        """Restore a snapshot into a new folder, and launch a session in it.

        With `variables` those that were stored are restored, for `jupyter_gpuquota.variables()`:
        they are code. The session starts from another `environment`, if one is given: see
        `make_environment`. Raises InvalidFields with all that stands against it, and what the
        restore has failed with.
        """
        body = RestoreRequest(
            name=name, folder=_absolute(folder), variables=variables, environment=environment
        )
        begun: Restoration = self._context.call(
            "snapshots.restore", {"snapshot": snapshot}, body=body
        )
        return self._end_of(begun) if wait else begun

    def make_environment(self, snapshot: str, folder: str | os.PathLike[str]) -> str:
        """Make a Python environment with the packages of a snapshot on this machine, with uv.

        All of it is made, or nothing. It returns the path of the new folder. Raises InvalidFields
        for a folder that is there, Unsupported without uv or for conda, Conflict with what uv says.
        """
        found: SnapshotDetails = self._context.call("snapshots.get", {"snapshot": snapshot})
        return environments.make(found.environment, folder, found.snapshot.short)

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


class Chosen(TypedDict, total=False):
    """What of a session's files is stored.

    `volumes` are the names of those to copy, by default all that the session may write; `exclude`
    patterns, as in `.gitignore`, of what is left out.
    """

    volumes: Sequence[str] | None
    exclude: Sequence[str]


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
        wait: bool = True,
        **chosen: Unpack[Chosen],
    ) -> Snapshot:
        """Take a snapshot of a session, by default the one that this program runs in.

        `artifacts` are patterns of files that are recorded one by one, relative to the session's
        folder. `variables` of this program are stored with it, or those of a kernel of the
        session. `volumes` are the names of those to copy, by default all that the session may
        write; `exclude` patterns, as in `.gitignore`, of what is left out. Without `wait` it
        returns while the snapshot is made. Raises NotFound, NotAllowed, WrongState, and what it
        has failed with.
        """
        request = _request(note, tags, metrics, artifacts, variables, chosen)
        return self._take(session, request, wait=wait)

    def from_code(
        self,
        note: str = "",
        *,
        tags: Sequence[str] = (),
        metrics: Mapping[str, float] | None = None,
        artifacts: Sequence[str] = (),
        variables: Mapping[str, Any] | None = None,
        wait: bool = True,
        **chosen: Unpack[Chosen],
    ) -> Snapshot:
        """Take a snapshot of the session in which this program runs, with its command line.

        Everything else is as for `create`.
        """
        request = _request(note, tags, metrics, artifacts, variables, chosen)
        return self._take("", replace(request, program=program()), wait=wait)

    def preview(self, session: str = "", **chosen: Unpack[Chosen]) -> SnapshotPreview:
        """Return what a snapshot would store now, and leave out. Nothing is made."""
        body = _request("", (), None, (), None, chosen)
        found: SnapshotPreview = self._context.call("snapshots.preview", _of(session), body=body)
        return found

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
        sessions = Sessions(self._context)
        found = self.show(snapshot)
        own = bool(found.manifest and found.manifest.spec.command)
        if not found.programs and not own:
            raise Conflict(
                "The snapshot does not say what was run.",
                hint="Restore it, and run it by hand: jupyter gpu snapshot restore.",
            )
        made = self.restore(found.snapshot.id, name)
        sessions.wait(made.session, ended=not found.programs, timeout=timeout)
        for words in found.programs:
            result = sessions.exec(made.session, words, timeout=timeout)
            if result.exit_code or result.timed_out:
                why = "took too long" if result.timed_out else f"ended with {result.exit_code}"
                said = result.output.strip()[-_SAID:]
                raise Conflict(
                    f"{' '.join(words)} {why}. {said}".strip(),
                    hint=f"The session {made.name} is there: look into it.",
                )
        taken = result_of(self.list(made.session))
        after = self.follow(taken.id) if taken else self.create(made.session)
        return self.diff(found.snapshot.id, after.id)

    def _take(self, session: str, request: SnapshotRequest, *, wait: bool) -> Snapshot:
        made: Snapshot = self._context.call("snapshots.create", _of(session), body=request)
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


def result_of(taken: Iterable[Snapshot]) -> Snapshot | None:
    """Return the snapshot with the results of a session, of all of its, the newest first.

    That is the last one that its program took, which has the program's metrics, or else the one
    that a rule took at its end. One taken by schedule is of some moment before.
    """
    last = {each.trigger: each for each in reversed([*taken])}
    return last.get("code") or last.get("finish")


def _of(session: str) -> dict[str, str]:
    """Return the argument that names a session, by default that of this program."""
    name = session or os.environ.get(SESSION, "")
    if not name:
        raise WrongState("Not in a session.", hint="Name the session to take a snapshot of.")
    return {"id": name.replace("/", "~")}


def _request(
    note: str,
    tags: Sequence[str],
    metrics: Mapping[str, float] | None,
    artifacts: Sequence[str],
    variables: Mapping[str, Any] | Dump | None,
    chosen: Chosen,
) -> SnapshotRequest:
    stored = variables if isinstance(variables, Dump) else dump(variables or {})
    volumes = chosen.get("volumes")
    return SnapshotRequest(
        note=note,
        tags=tuple(tags),
        metrics=dict(metrics or {}),
        artifacts=tuple(artifacts),
        variables=stored.names,
        dump=stored.file,
        notebook=stored.notebook,
        volumes=None if volumes is None else tuple(volumes),
        exclude=tuple(chosen.get("exclude", ())),
    )


def program() -> tuple[str, ...]:
    """Return the command line of this program or of its notebook, empty if it has none."""
    notebook = os.environ.get(NOTEBOOK, "")
    if notebook.endswith(".ipynb"):
        return ("jupyter", "execute", "--inplace", notebook)
    main = sys.modules["__main__"]
    file = getattr(main, "__file__", None)
    if not file or "ipykernel" in sys.modules:
        return ()
    module = getattr(main, "__spec__", None)
    if module and module.name:
        return ("python", "-m", module.name.removesuffix(".__main__"), *sys.argv[1:])
    return ("python", str(Path(file).absolute()), *sys.argv[1:])
