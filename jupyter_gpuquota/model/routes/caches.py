"""The routes of cached versions."""

from __future__ import annotations

from ..datasets.caches import CacheAnswer, CachedVersion, CacheList, CacheQuery, PinRequest
from ..struct import Nothing
from .route import Route

_COPY = "/datasets/{dataset}/versions/{version}/copy"

ROUTES: tuple[Route, ...] = (
    Route(
        "caches.list",
        "GET",
        "/caches",
        CacheList,
        "List cached versions, and the room for more",
        query=CacheQuery,
        noun="datasets",
    ),
    Route(
        "caches.create", "PUT", _COPY, CacheAnswer, "Cache a version: fetch it unless it is there"
    ),
    Route(
        "caches.delete",
        "DELETE",
        _COPY,
        Nothing,
        "Clear the cached copy of a version that no session uses",
    ),
    Route(
        "caches.pin",
        "PUT",
        f"{_COPY}/pin",
        CachedVersion,
        "Keep a cached version, whether or not it is used",
        request=PinRequest,
    ),
    Route("caches.unpin", "DELETE", f"{_COPY}/pin", CachedVersion, "Remove the caller's pin"),
)
