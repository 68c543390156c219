"""The cache in a controller: room, leases, what goes, and what is verified."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import pytest_asyncio

from jupyter_gpuquota.control.datasets.cache import FolderCache
from jupyter_gpuquota.control.datasets.job_board import JobStore
from jupyter_gpuquota.control.datasets.keeper import Copy, Keeper, leases_of
from jupyter_gpuquota.core.datasets import jobs
from jupyter_gpuquota.core.datasets.eviction import EVERY, next_to_verify
from jupyter_gpuquota.errors import Conflict, InUse, NotFound, StorageFailed
from jupyter_gpuquota.model.datasets.caches import CachedVersion, CacheRules, Lease, Pin
from jupyter_gpuquota.model.datasets.jobs import Job, JobReport
from jupyter_gpuquota.model.datasets.mounts import DataMount
from jupyter_gpuquota.store.cache.fetch import fetch
from jupyter_gpuquota.store.cache.places import place
from jupyter_gpuquota.store.catalog import Catalog
from jupyter_gpuquota.store.lake.connection import in_memory
from jupyter_gpuquota.store.upload import Upload
from tests.builders import NOW, make_session

pytestmark = pytest.mark.asyncio

SIZE = 1000


class Shelf:
    """A cache of a few versions of `SIZE` bytes, with a clock that a test moves."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.root = folder / "cache"
        self.lake = in_memory("lake")
        self.leases: dict[Copy, tuple[Lease, ...]] = {}
        self.rules = CacheRules(unused=timedelta(days=1), high_water=1)
        self.ahead = timedelta()
        self.jobs = JobStore(in_memory("memory://own"))
        self.keeper = self.opened(3 * SIZE)

    def opened(self, capacity: int) -> Keeper:
        return Keeper(
            FolderCache(self.root, capacity),
            self.jobs,
            lambda: self.leases,
            lambda _: self.rules,
            lambda: datetime.now(UTC) + self.ahead,
            lambda: None,
        )

    async def store(self, letter: str) -> str:
        """Store a version of `SIZE` bytes, and return its id."""
        data = self.folder / letter
        data.mkdir()
        (data / "file").write_text(letter * SIZE)
        catalog = Catalog(":memory:")
        try:
            return (await Upload(self.lake, catalog, lambda _: None).run(data)).version
        finally:
            catalog.close()

    async def cached(self, letter: str) -> str:
        version = await self.store(letter)
        await fetch(place(self.root, "faces", version), self.lake, lambda _: None)
        await self.keeper.refresh()
        return version

    def there(self) -> set[str]:
        return {each.version for each in self.keeper.all()}


@pytest_asyncio.fixture
async def shelf(tmp_path: Path) -> AsyncIterator[Shelf]:
    yield Shelf(tmp_path)


def wanted(version: str = "f" * 64, size: int = SIZE) -> Job:
    report = JobReport(kind="cache", dataset="faces", version=version, state="running", size=size)
    return jobs.reported(jobs.begin("fetch", report, "me", 0, NOW), report, NOW).job


async def test_room_is_made_by_the_least_recently_used(shelf: Shelf) -> None:
    first, second, third = [await shelf.cached(letter) for letter in "abc"]
    await shelf.keeper.cache.use("faces", first, datetime.now(UTC) + timedelta(minutes=1))
    await shelf.keeper.admit(wanted())
    assert shelf.there() == {first, third}
    assert second not in shelf.there()
    with pytest.raises(Conflict, match=f"{SIZE} more bytes"):
        await shelf.keeper.admit(wanted(size=4 * SIZE))
    assert shelf.there() == {first, third}


async def test_what_is_fetched_counts_before_it_is_there(shelf: Shelf) -> None:
    shelf.keeper = shelf.opened(SIZE)
    report = JobReport(
        kind="cache", dataset="faces", version="a" * 64, state="running", size=SIZE, done=400
    )
    known = jobs.reported(jobs.begin("one", report, "me", 0, NOW), report, NOW)
    shelf.jobs.put(known)
    await shelf.keeper.refresh()
    (coming,) = shelf.keeper.all()
    assert (coming.state, coming.done) == ("fetching", 400)
    room = shelf.keeper.room()
    assert (room.used, room.committed, room.evictable) == (400, SIZE, 0)
    with pytest.raises(Conflict):
        await shelf.keeper.admit(wanted(size=1))


async def test_what_nobody_uses_goes_after_a_day(shelf: Shelf) -> None:
    used, pinned, other = [await shelf.cached(letter) for letter in "abc"]
    shelf.leases = {("faces", used): (Lease(session="s", name="exp-1", since=NOW),)}
    await shelf.keeper.cache.pin("faces", pinned, Pin(user="me"))
    await shelf.keeper.tidy()
    assert shelf.there() == {used, pinned, other}
    shelf.ahead = timedelta(days=2)
    await shelf.keeper.tidy()
    assert shelf.there() == {used, pinned}
    # The session has ended: from then on the copy is unused, and stays for another day.
    shelf.leases = {}
    await shelf.keeper.tidy()
    assert shelf.there() == {used, pinned}
    shelf.ahead = timedelta(days=4)
    await shelf.keeper.tidy()
    assert shelf.there() == {pinned}
    await shelf.keeper.cache.unpin("faces", pinned, "me")
    shelf.rules = CacheRules(unused=None, high_water=1)
    await shelf.keeper.tidy()
    assert shelf.there() == {pinned}


async def test_a_copy_in_use_is_not_cleared(shelf: Shelf) -> None:
    version = await shelf.cached("a")
    shelf.leases = {("faces", version): (Lease(session="s", name="team-a/exp-1", since=NOW),)}
    with pytest.raises(InUse, match="team-a/exp-1"):
        await shelf.keeper.clear("faces", version)
    shelf.leases = {}
    await shelf.keeper.clear("faces", version)
    with pytest.raises(NotFound):
        await shelf.keeper.clear("faces", version)


class Unreadable(FolderCache):
    """A cache whose disk fails while `broken`."""

    broken = False

    async def read(self) -> Sequence[CachedVersion]:
        if self.broken:
            raise StorageFailed("The disk fails.")
        return await super().read()


async def test_an_unreadable_cache_is_told_and_its_last_state_stays(shelf: Shelf) -> None:
    version = await shelf.cached("a")
    shelf.keeper.cache = Unreadable(shelf.root)
    shelf.keeper.cache.broken = True
    await shelf.keeper.refresh()
    assert (shelf.there(), shelf.keeper.problem) == ({version}, "The disk fails.")
    shelf.keeper.cache.broken = False
    await shelf.keeper.refresh()
    assert (shelf.there(), shelf.keeper.problem) == ({version}, "")


async def test_a_session_has_a_lease_until_it_has_ended() -> None:
    mount = DataMount(dataset="faces", version="a" * 64)
    states = ("waiting", "running", "stopping", "stopped", "suspended", "failed", "done")
    sessions = [make_session(state, state=state, data=(mount, mount)) for state in states]
    (leases,) = leases_of(sessions).values()
    assert [lease.name for lease in leases] == ["waiting", "running", "stopping"]


async def test_the_copy_that_was_verified_longest_ago_is_next() -> None:
    def copy(name: str, verified: float | None, used: float, **facts: object) -> CachedVersion:
        return CachedVersion(
            dataset="faces",
            version=name,
            state=facts.get("state", "cached"),
            size=1,
            files=1,
            used=NOW - timedelta(hours=used),
            verified=None if verified is None else NOW - timedelta(days=verified),
            leases=facts.get("leases", ()),
        )

    old, older, new = copy("old", 8, 1), copy("older", 9, 1), copy("new", 1, 1)
    assert next_to_verify([old, older, new], NOW) == older
    assert next_to_verify([new, copy("x", 9, 1, state="fetching")], NOW) is None
    assert next_to_verify([copy("fresh", None, 0.5)], NOW) is None
    quiet = copy("quiet", None, 2)
    assert next_to_verify([quiet, new], NOW) == quiet
    lease = Lease(session="s", name="exp-1", since=NOW - EVERY)
    busy = copy("busy", None, 0, leases=(lease,))
    assert next_to_verify([busy], NOW) == busy
