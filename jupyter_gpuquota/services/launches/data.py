"""The datasets of requests for sessions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...core.datasets import mounts, rights
from ...core.requests.data import Resolved, parse
from ...errors import Ambiguous, NotAllowed, NotFound, NotLoaded, Unavailable, Unsupported
from ...model.datasets.caches import CachedVersion
from ...model.datasets.datasets import Dataset
from ...model.datasets.jobs import Job
from ...model.datasets.mounts import DataMount, MountPreview
from ...ports.backend import Backend
from .. import datasets, versions
from ..call import Call

_REFUSED = (NotFound, Ambiguous, NotAllowed, Unavailable, Unsupported)


def known(backend: Backend) -> tuple[Dataset, ...]:
    """Return all datasets; none where the backend has none, or has not read them yet."""
    try:
        return backend.datasets.all() if backend.datasets else ()
    except NotLoaded:
        return ()


async def resolved(backend: Backend, call: Call, texts: Iterable[str]) -> dict[str, Resolved]:
    """Return what requested datasets are, or why the caller cannot use them, by their texts."""
    return {text: found for text in set(texts) if (found := await _resolved(backend, call, text))}


async def _resolved(backend: Backend, call: Call, text: str) -> Resolved | None:
    asked = parse(text)
    if asked is None:
        return None
    try:
        known = datasets.able(backend).all()
        dataset = rights.find(asked.dataset, known, call.rights)
        rights.check("cache", dataset, call.rights, "use")
        version = await versions.resolved(backend, dataset, asked.ref)
    except NotLoaded:
        raise
    except _REFUSED as error:
        return Resolved(problem=error.message, hint=error.hint)
    mount = DataMount(dataset=dataset.name, version=version.id, ref=asked.ref, path=asked.path)
    return Resolved(mount)


async def previews(backend: Backend, wanted: Sequence[DataMount]) -> tuple[MountPreview, ...]:
    """Return which of these versions are cached, and how long the others take to fetch."""
    cached = backend.caches.all() if backend.caches else ()
    jobs = backend.jobs.all() if backend.jobs else ()
    return tuple([await _preview(backend, mount, cached, jobs) for mount in wanted])


async def _preview(
    backend: Backend,
    mount: DataMount,
    cached: Iterable[CachedVersion],
    jobs: Iterable[Job],
) -> MountPreview:
    able = datasets.able(backend)
    versions_known = await able.versions(mount.dataset)
    size = next((each.size for each in versions_known if each.id == mount.version), 0)
    copy = next((c for c in cached if (c.dataset, c.version) == mounts.key_of(mount)), None)
    room = backend.caches.room() if backend.caches else None
    return mounts.preview_of(mount, size, copy, jobs, room)
