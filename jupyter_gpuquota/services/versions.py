"""Use cases of the versions of datasets."""

from __future__ import annotations

import base64
import binascii
import os

from ..core.datasets import references, rights
from ..errors import FieldError, NotFound, refused
from ..model.datasets.datasets import Dataset, DatasetAction
from ..model.datasets.files import (
    CompareQuery,
    Comparison,
    ContentChunk,
    ContentQuery,
    DataFile,
    FilePreview,
    FileQuery,
    PreviewQuery,
)
from ..model.datasets.jobs import Job
from ..model.datasets.versions import TagRequest, Version, VersionReport
from ..model.struct import Nothing, Page
from ..ports.backend import Backend, require
from . import datasets
from .call import Call


async def list_(backend: Backend, call: Call) -> Page[Version]:
    """Return the versions of a dataset, newest first."""
    dataset = datasets.find(backend, call)
    items = await datasets.able(backend).versions(dataset.name)
    return Page(items=items, total=len(items), revision=backend.changes.revision("datasets"))


async def get(backend: Backend, call: Call) -> Version:
    """Return one version."""
    return await find(backend, call)


async def put(backend: Backend, call: Call) -> Version:
    """Note a version that a process of the caller has added to a lake."""
    dataset = datasets.find(backend, call, "write", "add versions to")
    report: VersionReport = call.body
    version = Version(
        dataset=dataset.name,
        id=call.args["version"],
        parents=report.parents,
        message=report.message,
        author=report.author,
        time=report.time,
        files=report.files,
        size=report.size,
        added=report.added,
        tags=report.tags,
        source=report.source,
    )
    return await datasets.able(backend).add(version, report.manifest, call.who)


async def delete(backend: Backend, call: Call) -> Nothing:
    """Remove a version."""
    version = await find(backend, call, "remove", "remove versions of")
    await datasets.able(backend).drop(version.dataset, version.id)
    return Nothing()


async def tag(backend: Backend, call: Call) -> Version:
    """Let a tag name a version."""
    request: TagRequest = call.body
    references.check_tag(call.args["tag"])
    dataset = datasets.find(backend, call, "write", "tag versions of")
    version = await resolved(backend, dataset, request.version)
    await datasets.able(backend).tag(dataset.name, call.args["tag"], version.id)
    return await resolved(backend, dataset, version.id)


async def untag(backend: Backend, call: Call) -> Nothing:
    """Remove a tag."""
    dataset = datasets.find(backend, call, "write", "untag versions of")
    name = call.args["tag"]
    found = await datasets.able(backend).versions(dataset.name)
    if not any(name in version.tags for version in found):
        names = ", ".join(sorted({each for version in found for each in version.tags}))
        hint = f"Tags: {names}." if names else "It has no tags."
        raise NotFound(f"{dataset.name} has no tag {name!r}.", hint=hint)
    await datasets.able(backend).tag(dataset.name, name, "")
    return Nothing()


async def files(backend: Backend, call: Call) -> Page[DataFile]:
    """Return a page of a folder of a version."""
    query: FileQuery = call.query
    version = await find(backend, call)
    path = path_of(query.path, raw=query.raw)
    return await datasets.able(backend).contents.files(version, path, query)


async def content(backend: Backend, call: Call) -> ContentChunk:
    """Return some bytes of a file."""
    query: ContentQuery = call.query
    version = await find(backend, call)
    path = path_of(query.path, raw=query.raw)
    return await datasets.able(backend).contents.content(version, path, query.offset)


async def preview(backend: Backend, call: Call) -> FilePreview:
    """Return a preview of a file."""
    query: PreviewQuery = call.query
    version = await find(backend, call)
    return await datasets.able(backend).contents.preview(
        version, path_of(query.path, raw=query.raw)
    )


async def compare(backend: Backend, call: Call) -> Comparison:
    """Return a page of what differs between two versions."""
    query: CompareQuery = call.query
    before = await find(backend, call)
    after = await resolved(backend, datasets.find(backend, call), query.other)
    return await datasets.able(backend).contents.compare(before, after, query)


async def verify(backend: Backend, call: Call) -> Job:
    """Start to hash a version again."""
    version = await find(backend, call, "cache", "verify")
    jobs = require(backend, "jobs", backend.jobs)
    return await jobs.verify(version, call.who, lake=call.body.lake, cache=call.body.cache)


async def find(
    backend: Backend, call: Call, action: DatasetAction = "see", what: str = "see"
) -> Version:
    """Return the version that the path names. Raises NotFound, Ambiguous, NotAllowed."""
    dataset = datasets.find(backend, call)
    rights.check(action, dataset, call.rights, what)
    return await resolved(backend, dataset, call.args["version"])


async def resolved(backend: Backend, dataset: Dataset, ref: str) -> Version:
    """Return the version that a reference names. Raises NotFound, Ambiguous, Unavailable."""
    found = await datasets.able(backend).versions(dataset.name)
    tags = {tag: version.id for version in found for tag in version.tags}
    ids = [version.id for version in reversed(found)]
    wanted = references.resolve(dataset.name, ref, ids, tags)
    return next(version for version in found if version.id == wanted)


def path_of(path: str, *, raw: bool) -> str:
    """Return a path as manifests know it. Raises InvalidFields for `raw` that is not base64."""
    if not raw:
        return path
    try:
        return os.fsdecode(base64.b64decode(path, validate=True))
    except binascii.Error as error:
        problem = FieldError("path", "With `raw`, a path is base64 of its bytes.")
        raise refused(problem) from error
