"""Moving data: each verb has a process of its own, which reports to the controller as a job."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from os import PathLike
from pathlib import Path
from typing import Literal, TypedDict, Unpack, overload

from ... import accounts
from ...errors import FieldError, GpuQuotaError, refused
from ...model.datasets.caches import CacheAnswer, CachedVersion, VerifyRequest
from ...model.datasets.datasets import CollectRequest, Dataset
from ...model.datasets.jobs import Job
from ...model.datasets.names import parse_name, shown_path
from ...model.datasets.versions import Version
from ...model.sessions import Session
from ..connection.context import Context
from .jobs import Progress, begun, finished
from .naming import OfVersions, version_args
from .processes import option

Folder = str | PathLike[str]


class _Given(TypedDict, total=False):
    message: str
    tag: str
    exclude: Sequence[str]
    progress: Progress | None


class Transfers(OfVersions):
    """Move data, and wait until it is done.

    `progress` is called with the job again and again. An interrupt cancels the job. With
    `wait=False` the job is returned as soon as it has begun.
    """

    @overload
    def sync(
        self, name: str, folder: Folder, *, wait: Literal[True] = True, **given: Unpack[_Given]
    ) -> Version: ...

    @overload
    def sync(
        self, name: str, folder: Folder, *, wait: Literal[False], **given: Unpack[_Given]
    ) -> Job: ...

    def sync(
        self,
        name: str,
        folder: Folder,
        *,
        message: str = "",
        tag: str = "",
        exclude: Sequence[str] = (),
        progress: Progress | None = None,
        wait: bool = True,
    ) -> Version | Job:
        """Store a folder as the next version of a dataset, and return the version.

        Only what is new is sent. If nothing has changed, the version is the latest one. `exclude`
        are patterns, as in `.gitignore`, of what is left out, besides those of its file
        `.gpuquotaignore`. Raises
        NotFound, NotAllowed, InvalidFields for what a version cannot contain, Conflict for a file
        that does not stop changing.
        """
        dataset = self._dataset(name)
        given = [*option("message", message), *option("tag", tag)]
        given += [word for pattern in exclude for word in option("exclude", pattern)]
        words = [*given, "--", dataset.name, _existing(folder)]
        process = self._context.spawn("sync", words)
        if not wait:
            return begun(self._context, process)
        job = finished(self._context, process.id, progress, process)
        version: Version = self._call_version("versions.get", f"{dataset.name}@{job.version}")
        return version

    def export(
        self,
        name: str,
        folder: Folder,
        *,
        progress: Progress | None = None,
        wait: bool = True,
    ) -> Job:
        """Write the files of a version, `NAME@REF`, to a folder that is empty or does not exist.

        Every file is checked against its hash. Raises NotFound, Conflict, Damaged.
        """
        words = ["--", _full(self._version(name)), _absolute(folder)]
        return self._run("export", words, progress, wait=wait)

    def import_(
        self,
        name: str,
        url: str,
        *,
        message: str = "",
        tag: str = "",
        progress: Progress | None = None,
        wait: bool = True,
    ) -> Job:
        """Store the objects below a prefix of a bucket as the next version of a dataset.

        `url` is that of the prefix, such as `s3://bucket/prefix`; `version` of the job names what
        was made. Raises NotFound, NotAllowed, InvalidFields.
        """
        dataset = self._dataset(name)
        given = [*option("message", message), *option("tag", tag)]
        words = [*given, "--", dataset.name, url]
        return self._run("import", words, progress, wait=wait)

    def register(self, name: str, *, progress: Progress | None = None, wait: bool = True) -> Job:
        """Let the controller know the versions that are in a dataset's own lake.

        Raises NotFound, NotAllowed, Unavailable.
        """
        dataset = self._dataset(name)
        return self._run("register", ["--", dataset.name], progress, wait=wait)

    def cache(
        self, name: str, *, progress: Progress | None = None, wait: bool = True
    ) -> CachedVersion | Job:
        """Copy a version, `NAME@REF`, near the GPUs unless it is there, and return the copy.

        Only a member's own process reads a member's own lake: there the copy is made by a process
        of the caller. With `wait=False` the job is returned if there is something to fetch. Raises
        NotFound, NotAllowed, Conflict where there is no room.
        """
        version = self._version(name)
        args = {"dataset": version.dataset, "version": version.id}
        if version.copy is None and self._dataset(version.dataset).own_lake:
            job = self._run("cache", ["--", _full(version)], progress, wait=wait)
            if not wait:
                return job
        answer: CacheAnswer = self._context.call("caches.create", args)
        if answer.job and wait:
            finished(self._context, answer.job.id, progress)
            answer = self._context.call("caches.create", args)
        found = answer.copy or answer.job
        assert found  # noqa: S101 (the answer has one of them)
        return found

    def verify(
        self,
        name: str,
        *,
        lake: bool = True,
        cache: bool = True,
        progress: Progress | None = None,
        wait: bool = True,
    ) -> Job:
        """Hash a version, `NAME@REF`, again: its objects in the lake, and its cached copy.

        `findings` of the job are the paths that are damaged; there are none if all is well. Raises
        NotFound, NotAllowed.
        """
        version = self._version(name)
        if lake and self._dataset(version.dataset).own_lake:
            words = [*option("only", "" if cache else "lake"), "--", _full(version)]
            return self._run("verify", words, progress, wait=wait)
        request = VerifyRequest(lake=lake, cache=cache)
        args = {"dataset": version.dataset, "version": version.id}
        job: Job = self._context.call("versions.verify", args, body=request)
        return finished(self._context, job.id, progress) if wait else job

    def collect(
        self,
        lake: str,
        *,
        grace: int = 3600,
        progress: Progress | None = None,
        wait: bool = True,
    ) -> Job:
        """Remove what no version of a lake needs, if it is older than `grace` seconds.

        `lake` is the name of a lake, for admins only, or the URL of one's own. Raises NotFound,
        NotAllowed, Conflict.
        """
        if "://" in lake:
            words = [*option("lake", lake), *option("grace", str(grace))]
            return self._run("gc", words, progress, wait=wait)
        request = CollectRequest(grace=grace)
        job: Job = self._context.call("lakes.collect", {"lake": lake}, body=request)
        return finished(self._context, job.id, progress) if wait else job

    def follow(self, job: str, *, progress: Progress | None = None) -> Job:
        """Return a job once it is done; an interrupt cancels it. Raises NotFound, its error."""
        return finished(self._context, job, progress)

    def _run(
        self, verb: str, words: Sequence[str], progress: Progress | None, *, wait: bool
    ) -> Job:
        process = self._context.spawn(verb, words)
        if not wait:
            return begun(self._context, process)
        return finished(self._context, process.id, progress, process)

    def _dataset(self, name: str) -> Dataset:
        args = {"dataset": parse_name(name).dataset}
        found: Dataset = self._context.call("datasets.get", args)
        return found

    def _version(self, name: str) -> Version:
        found: Version = self._context.call("versions.get", version_args(name))
        return found


def _existing(folder: Folder) -> str:
    """Return the path of a folder that is there. Raises InvalidFields."""
    found = _absolute(folder)
    if Path(found).is_dir():
        return found
    what = "is not a folder" if Path(found).exists() else "does not exist"
    raise refused(FieldError("folder", f"{shown_path(found)} {what}.", "Name a folder to store."))


def _absolute(folder: Folder) -> str:
    return str(accounts.expanded(folder).absolute())


def _full(version: Version) -> str:
    return f"{version.dataset}@{version.id}"


def fetch_own(context: Context, session: Session) -> None:
    """Begin to fetch what a queued session misses from lakes of members, as the caller.

    The controller fetches the rest. Where a fetch cannot begin, the session's reason says what to
    do.
    """
    for mount in session.spec.data if session.state == "waiting" else ():
        with suppress(GpuQuotaError):
            dataset: Dataset = context.call("datasets.get", {"dataset": mount.dataset})
            if dataset.own_lake:
                Transfers(context).cache(f"{mount.dataset}@{mount.version}", wait=False)
