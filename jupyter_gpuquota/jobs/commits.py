"""Reporting versions in a lake to the controller."""

from __future__ import annotations

from collections.abc import Mapping

from ..errors import NotFound, Unavailable
from ..model.datasets.lakes import Lake
from ..model.datasets.versions import VersionReport
from ..store.commits import Commit
from ..store.lake import layout
from ..store.lake.objects import Objects
from .job import Job


async def tell(
    job: Job, dataset: str, commit: Commit, tags: Mapping[str, str], lake: Lake, objects: Objects
) -> None:
    """Report of one version, with its manifest if the controller cannot read the lake.

    :raises Unavailable: the controller needs to know it, and does not answer.
    """
    try:
        key = layout.manifest(commit.version)
        # Of a lake with a name, the controller reads the manifests itself.
        manifest = b"" if lake.name else await objects.get(key)
        report = VersionReport(
            parents=commit.parents,
            message=commit.message,
            author=commit.author,
            time=commit.time,
            files=commit.stats.files,
            size=commit.stats.bytes,
            added=commit.stats.added,
            tags=tuple(sorted(tag for tag, named in tags.items() if named == commit.version)),
            source=commit.source,
            manifest=manifest,
        )
        await job.tell(job.reporter.commit, dataset, commit.version, report)
    except (Unavailable, NotFound) as error:
        raise Unavailable(
            f"The version is in the lake, but the controller does not know it: {error.message}",
            hint="Sync again, without changes, when it answers.",
        ) from error
