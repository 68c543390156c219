"""A dataset with a version for contract tests, stored as a process of a member would."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from jupyter_gpuquota.control.datasets.opening import open_lake
from jupyter_gpuquota.model.datasets.caches import Pin
from jupyter_gpuquota.model.datasets.datasets import DatasetRecord
from jupyter_gpuquota.model.datasets.jobs import JobReport
from jupyter_gpuquota.model.datasets.versions import Version
from jupyter_gpuquota.ports.backend import Backend
from jupyter_gpuquota.store import manifest
from jupyter_gpuquota.store.cache.fetch import fetch
from jupyter_gpuquota.store.cache.places import place
from jupyter_gpuquota.store.entries import Entry, Location
from jupyter_gpuquota.store.lake import layout
from jupyter_gpuquota.store.lake.history import Commit, History, Stats
from jupyter_gpuquota.store.lake.objects import Objects
from tests.builders import NOW
from tests.waiting import wait_for

FILES = {
    "a.txt": b"alpha\n",
    "train/1.csv": b"x,y\n1,2\n3,4\n",
    "train/2.png": b"\x89PNG\r\n\x1a\n",
}


def packed(files: dict[str, bytes]) -> tuple[str, bytes, bytes]:
    """Return the id, the manifest and the only pack of files."""
    body, entries = b"", []
    pack = hashlib.sha256(b"".join(files[path] for path in sorted(files))).hexdigest()
    for path in sorted(files):
        sha256 = hashlib.sha256(files[path]).hexdigest()
        entry = Entry(path, size=len(files[path]), sha256=sha256)
        entries.append(
            (entry, Location(pack=pack, offset=len(body)) if files[path] else Location())
        )
        body += files[path]
    return *manifest.encode(entries), body


FACES, _, _ = packed(FILES)
"""The id of the version with FILES."""


def lake_of(backend: Backend) -> Objects:
    """Return the default lake of a backend, as its controller opens it."""
    lake = backend.datasets.lakes()[0]
    if lake.url.startswith("memory:"):
        registry = backend.datasets._registry
        registry._reopen()
        return registry.objects(lake.name)
    return open_lake(lake)


def record(name: str = "faces", **fields: Any) -> DatasetRecord:
    return DatasetRecord(
        **{"name": name, "project": "team-c", "owner": "owner", "created": NOW, **fields}
    )


async def store(
    backend: Backend, files: dict[str, bytes] | None = None, dataset: str = "faces"
) -> Version:
    """Store files as the next version of a dataset in its lake, without telling the controller."""
    files = FILES if files is None else files
    lake = lake_of(backend)
    version, body, pack = packed(files)
    await lake.create(layout.pack(hashlib.sha256(pack).hexdigest()), pack)
    await lake.create(layout.manifest(version), body)
    history = History(lake, conditional=True)
    last = await history.commits(dataset)
    parents = (last[-1].version,) if last else ()
    stats = Stats(len(files), sum(map(len, files.values())), len(pack))
    commit = Commit(version=version, parents=parents, time=NOW, stats=stats, author="owner")
    await history.add(dataset, commit)
    return Version(
        dataset=dataset, id=version, parents=parents, time=NOW, files=stats.files, size=stats.bytes
    )


async def publish(
    backend: Backend, files: dict[str, bytes] | None = None, dataset: str = "faces"
) -> Version:
    """Create a dataset of team-c unless it exists, and add a version to it."""
    if dataset not in {each.name for each in backend.datasets.all()}:
        await backend.datasets.create(record(dataset), backend.datasets.lakes()[0].name)
    return await backend.datasets.add(await store(backend, files, dataset), b"")


async def cache(backend: Backend, version: Version) -> None:
    """Cache a version, and wait until it is there."""
    if folder := backend.caches.folder():
        copy = place(Path(folder), version.dataset, version.id)
        await fetch(copy, lake_of(backend), lambda _: None)

    async def is_there() -> bool:
        return (await backend.caches.fetch(version, "owner")).job is None

    await wait_for(is_there, "the version is not cached")


async def for_the_table(backend: Backend, people: tuple[str, ...]) -> None:
    """Make what the table of routes and roles is about: `faces`, cached and pinned, and a job."""
    version = await publish(backend)
    await backend.datasets.tag("faces", "good", version.id)
    await cache(backend, version)
    for who in people:
        await backend.caches.pin("faces", version.id, Pin(user=who))
    report = JobReport(kind="sync", dataset="faces", state="running")
    await backend.jobs.report("job-1", report, "owner")


def other(files: dict[str, bytes] | None = None) -> dict[str, bytes]:
    """Return the files of a second version: one changed, one removed, one added."""
    found = dict(FILES if files is None else files)
    found["a.txt"] = b"beta\n"
    found["new.txt"] = b"new\n"
    del found["train/2.png"]
    return found
