"""Datasets: their versions in lakes, the cached copies, and the jobs that work on them.

References to versions are resolved by the caller of these methods: `version` is an id. Paths are as
in manifests, relative, bytes that are not UTF-8 as surrogates. Rights are the caller's matter too.
"""

from __future__ import annotations

from typing import Protocol

from ..model.datasets.caches import CacheAnswer, CachedVersion, CacheRoom, Pin
from ..model.datasets.datasets import Dataset, DatasetRecord, Lake
from ..model.datasets.files import (
    CompareQuery,
    Comparison,
    ContentChunk,
    DataFile,
    FilePreview,
    FileQuery,
)
from ..model.datasets.jobs import Job, JobReport
from ..model.datasets.lineage import DataUse
from ..model.datasets.settings import DataSettings
from ..model.datasets.versions import Version
from ..model.struct import Page


class Datasets(Protocol):
    """The datasets that the controller knows, and their versions."""

    @property
    def contents(self) -> Contents:
        """What reads the files of versions."""

    def all(self) -> tuple[Dataset, ...]:
        """Return all datasets by name, without `actions`. Raises NotLoaded after a start."""

    def lakes(self) -> tuple[Lake, ...]:
        """Return the lakes of the admins, the default one first."""

    def problems(self) -> tuple[str, ...]:
        """Return which lakes do not answer now."""

    async def create(self, record: DatasetRecord, lake: str) -> Dataset:
        """Create a dataset in a lake, which is a name or a URL. Raises NameTaken, Unavailable."""

    async def change(self, record: DatasetRecord) -> Dataset:
        """Replace the record of a dataset. Raises NotFound, Unavailable."""

    async def remove(self, dataset: str) -> None:
        """Remove a dataset and its versions. Raises NotFound, InUse, Unavailable."""

    async def versions(self, dataset: str) -> tuple[Version, ...]:
        """Return the versions of a dataset, newest first. Raises NotFound, Unavailable."""

    async def add(self, version: Version, manifest: bytes, by: str = "") -> Version:
        """Note a version that a process of a user has added to a lake; `manifest` may be empty.

        Raises NotFound, InvalidFields for a manifest that is not the version's, or for none where
        the controller does not read the lake.
        """

    async def drop(self, dataset: str, version: str) -> None:
        """Remove a version. Raises NotFound, InUse, Unavailable."""

    async def tag(self, dataset: str, tag: str, version: str) -> None:
        """Let a tag name a version, or no longer if `version` is empty. Raises Unavailable."""


class Contents(Protocol):
    """The files of versions."""

    async def files(self, version: Version, path: str, query: FileQuery) -> Page[DataFile]:
        """Return a page of the folder `path` of a version.

        Raises NotFound, Unavailable, Damaged.
        """

    async def compare(self, before: Version, after: Version, query: CompareQuery) -> Comparison:
        """Return a page of what differs. Raises Unavailable, Damaged."""

    async def content(self, version: Version, path: str, offset: int) -> ContentChunk:
        """Return some bytes of a file. Raises NotFound, WrongState, Unavailable, Damaged."""

    async def preview(self, version: Version, path: str) -> FilePreview:
        """Return a preview of a file. Raises NotFound, WrongState, Unavailable, Damaged."""


class Caches(Protocol):
    """The cached versions near the GPUs."""

    def all(self) -> tuple[CachedVersion, ...]:
        """Return all cached versions, with leases and pins."""

    def room(self) -> CacheRoom:
        """Return how full the cache is."""

    def folder(self) -> str:
        """Return the root of the cache on this machine, empty where it is elsewhere."""

    async def fetch(self, version: Version, user: str) -> CacheAnswer:
        """Return the cached copy, or start to fetch it.

        Raises Conflict where there is no room, and NotAllowed where only a member's process reads
        the lake: that process reports a job of the kind `cache`.
        """

    async def clear(self, dataset: str, version: str) -> None:
        """Remove a cached copy. Raises NotFound, InUse with the sessions that use it."""

    async def pin(self, dataset: str, version: str, pin: Pin) -> CachedVersion:
        """Set the pin of a user. Raises NotFound."""

    async def unpin(self, dataset: str, version: str, user: str) -> CachedVersion:
        """Remove the pin of a user. Raises NotFound."""


class Jobs(Protocol):
    """The jobs that work on data."""

    def all(self) -> tuple[Job, ...]:
        """Return active jobs and the last ones that have ended, newest first."""

    async def report(self, job: str, report: JobReport, user: str) -> Job:
        """Note what the process of a job reports, and return the job with what it shall do.

        A job that asks for a turn is `running` in the answer once it may begin, or `failed` with a
        problem where it never may.
        """

    async def cancel(self, job: str) -> Job:
        """Ask a job to end. Raises NotFound, WrongState for one that has ended."""

    async def verify(self, version: Version, user: str, *, lake: bool, cache: bool) -> Job:
        """Start to hash a version again. Raises NotAllowed, Conflict."""

    async def collect(self, lake: str, user: str, grace: int) -> Job:
        """Start to remove what no version of a lake needs. Raises NotFound, Conflict."""


class DataAdministration(Protocol):
    """What admins set for datasets: lakes, and rules for cached versions."""

    def settings(self) -> DataSettings:
        """Return the settings in force."""

    async def put(self, settings: DataSettings, who: str) -> DataSettings:
        """Change the settings as a whole; return them with their new revision.

        Raises Outdated, Conflict where a file sets them, StorageFailed.
        """


class DataUses(Protocol):
    """Which sessions have used which versions, also sessions that were deleted since."""

    async def of(self, dataset: str) -> tuple[DataUse, ...]:
        """Return the uses of a dataset's versions, oldest first. Raises StorageFailed."""
