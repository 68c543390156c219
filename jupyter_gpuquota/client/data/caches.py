"""Cached versions: the copies near the GPUs."""

from __future__ import annotations

import os
from pathlib import Path

from ...environ import DATASETS, SESSION
from ...errors import NotFound
from ...model.datasets.caches import CachedVersion, CacheList, CacheQuery, PinRequest
from ...model.datasets.mounts import by_name
from ...model.datasets.names import DataName, parse_name
from ...model.datasets.versions import SHOWN
from ...model.sessions import Session
from ..listing import Listing, Table
from .naming import OfVersions

CACHES = Table[CachedVersion](
    columns={
        "dataset": lambda each: each.dataset,
        "version": lambda each: each.version,
        "state": lambda each: each.state,
        "files": lambda each: each.files,
        "size": lambda each: each.size,
        "done": lambda each: each.done,
        "used": lambda each: each.used,
        "used_by": lambda each: [lease.name for lease in each.leases],
        "pinned_by": lambda each: [pin.user for pin in each.pins],
        "verified": lambda each: each.verified,
    },
    shown=("dataset", "version", "state", "files", "size", "used", "used_by", "pinned_by"),
    empty="Nothing is cached.",
)
"""Sizes are in bytes."""


class Caches(OfVersions):
    """The cached copies of versions. `name` is `NAME@REF`."""

    def caches(self, name: str = "") -> Listing[CachedVersion, CacheList]:
        """List cached versions, of one dataset or all; `.room` says how full the cache is."""
        answer: CacheList = self._context.call("caches.list", query=CacheQuery(dataset=name))
        return Listing(answer, answer.items, CACHES)

    def uncache(self, name: str) -> None:
        """Remove the cached copy of a version.

        Raises NotFound, NotAllowed, and InUse with the sessions that use it.
        """
        self._call_version("caches.delete", name)

    def pin(self, name: str, *, until: str = "", why: str = "") -> CachedVersion:
        """Keep a cached version until a time (`2d`, `2030-01-31`), or for ever.

        Raises NotFound, InvalidFields, NotAllowed.
        """
        request = PinRequest(until=until, why=why)
        copy: CachedVersion = self._call_version("caches.pin", name, body=request)
        return copy

    def unpin(self, name: str) -> CachedVersion:
        """Remove one's own pin of a cached version. Raises NotFound."""
        copy: CachedVersion = self._call_version("caches.unpin", name)
        return copy

    def path(self, name: str) -> Path:
        """Return the read-only folder of a cached version, or of `NAME@REF:PATH` in it.

        Inside a session a dataset that it uses is the version that it was launched with, unless
        another one is named. Raises NotFound if the version is not cached, or has no such path.
        """
        named = parse_name(name)
        folder = self._folder(named)
        found = Path(folder, named.path)
        if named.path and not found.is_symlink() and not found.exists():
            shown = DataName(named.dataset, named.ref).text
            raise NotFound(f"{shown} has no such path.", hint="List its files with `data ls`.")
        return found

    def _folder(self, named: DataName) -> Path:
        """Return the folder of a version. Raises NotFound."""
        own = _own_folder(named.dataset)
        if own and not named.ref:
            return own
        version = self._call_version("versions.get", DataName(named.dataset, named.ref).text)
        copy = version.copy
        if copy and copy.state == "cached" and copy.folder:
            return Path(copy.folder)
        if own and self._is_own(named.dataset, version.id):
            return own
        shown = f"{version.dataset}@{named.ref or version.id[:SHOWN]}"
        state = "being fetched" if copy and copy.state == "fetching" else "not cached here"
        raise NotFound(f"{shown} is {state}.", hint=f"Cache it: jupyter gpu data cache {shown}.")

    def _is_own(self, dataset: str, version: str) -> bool:
        """Return whether this session finds this version by the name of its dataset."""
        args = {"id": os.environ.get(SESSION, "")}
        session: Session = self._context.call("sessions.get", args)
        own = by_name(session.spec.data).get(dataset)
        return own is not None and own.version == version


def _own_folder(dataset: str) -> Path | None:
    """Return where this process, in a session, finds a dataset by its name."""
    folder = os.environ.get(DATASETS, "")
    found = Path(folder, dataset)
    return found if folder and found.is_dir() else None
