"""Use cases of cached versions."""

from __future__ import annotations

from datetime import UTC, datetime

from ..core.datasets import pins, rights
from ..model.datasets.caches import CacheAnswer, CachedVersion, CacheList, CacheQuery
from ..model.struct import Nothing
from ..ports.backend import Backend, require
from ..ports.datasets import Caches
from . import datasets, versions
from .call import Call


async def list_(backend: Backend, call: Call) -> CacheList:
    """Return the cached versions that the caller may see, and the room for more."""
    query: CacheQuery = call.query
    able = _able(backend)
    seen = {each.name for each in rights.seen(datasets.able(backend).all(), call.rights)}
    items = (
        rights.cached(each, call.rights)
        for each in able.all()
        if each.dataset in seen and query.dataset in {"", each.dataset}
    )
    return CacheList(items=tuple(items), room=able.room(), folder=able.folder())


async def create(backend: Backend, call: Call) -> CacheAnswer:
    """Return the cached copy of a version, or start to fetch it."""
    version = await versions.find(backend, call, "cache", "cache")
    return await _able(backend).fetch(version, call.who)


async def delete(backend: Backend, call: Call) -> Nothing:
    """Clear the cached copy of a version."""
    version = await versions.find(backend, call, "cache", "clear the copy of")
    await _able(backend).clear(version.dataset, version.id)
    return Nothing()


async def pin(backend: Backend, call: Call) -> CachedVersion:
    """Set the caller's pin of a cached version."""
    wanted = pins.new_pin(call.body, call.who, datetime.now(UTC))
    version = await versions.find(backend, call, "cache", "pin")
    return rights.cached(await _able(backend).pin(version.dataset, version.id, wanted), call.rights)


async def unpin(backend: Backend, call: Call) -> CachedVersion:
    """Remove the caller's pin of a cached version."""
    version = await versions.find(backend, call, "cache", "unpin")
    return rights.cached(
        await _able(backend).unpin(version.dataset, version.id, call.who), call.rights
    )


def _able(backend: Backend) -> Caches:
    return require(backend, "caches", backend.caches)
