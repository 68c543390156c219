"""Snapshots that come and go: nothing that another one, or a dataset, consists of is removed."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from contextlib import closing, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from jupyter_gpuquota.control.snapshots.registry import Registry
from jupyter_gpuquota.core.snapshots import identity, retention
from jupyter_gpuquota.errors import Conflict, NotFound
from jupyter_gpuquota.jobs.job import Job, LinesReporter
from jupyter_gpuquota.jobs.verbs import snapshot
from jupyter_gpuquota.model.datasets.jobs import JobReport
from jupyter_gpuquota.model.snapshots.orders import MountedVolume
from jupyter_gpuquota.model.snapshots.snapshots import Snapshot, SnapshotPin, SnapshotRules
from jupyter_gpuquota.store.catalog import Catalog
from jupyter_gpuquota.store.lake import layout
from jupyter_gpuquota.store.lake.collect import collect
from jupyter_gpuquota.store.lake.history import History
from jupyter_gpuquota.store.lake.objects import Objects
from jupyter_gpuquota.store.sync import Wanted, sync
from tests.builders import NOW
from tests.jobs.conftest import lake, lake_url
from tests.jobs.snapshots.taken import manifests, order, volume
from tests.store.living import verified

__all__ = ["lake", "lake_url"]

pytestmark = [pytest.mark.asyncio, pytest.mark.timeout(7200)]

ALL = 200
STEPS = 6
CONTENTS = 4
SELDOM = 0.1
"""Whoever writes waits for a collection for a second."""
LARGE = bytes(range(256)) * (4 << 10)
RULES = SnapshotRules(keep_last=2, daily=1)
DATASET = "faces"


class Overtaken:
    """The objects of a lake; something happens before the manifest of a snapshot is written."""

    def __init__(self, lake: Objects, overtake: Callable[[], Awaitable[None]]) -> None:
        self._lake = lake
        self._overtake = overtake

    def __getattr__(self, name: str) -> Any:
        return getattr(self._lake, name)

    async def create(self, key: str, body: bytes, *, durable: bool = True) -> bool:
        """Write an object."""
        if key.startswith(identity.SNAPSHOTS):
            await self._overtake()
        return await self._lake.create(key, body, durable=durable)


@dataclass
class Life:
    """What one round does to a lake."""

    lake: Objects
    url: str
    home: Path
    rng: random.Random
    taken: int = 0
    gone: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.registry = Registry(lambda: {"main": self.lake}, lambda: None)
        for number in range(CONTENTS):
            folder = self.home / f"{number}"
            folder.mkdir(parents=True)
            (folder / "shared").write_bytes(LARGE)
            (folder / "small").write_text("in every one")
            (folder / "own").write_text(f"{number % 3}")

    def folder(self) -> Path:
        """Return one of a few folders, of which two are the same."""
        return self.home / f"{self.rng.randrange(CONTENTS)}"

    def volumes(self) -> tuple[MountedVolume, ...]:
        """Return up to two volumes with files that others may have, too."""
        names = self.rng.sample(["scratch", "models"], self.rng.randrange(3))
        return tuple(volume(self.folder(), name) for name in names)

    async def take(self, lake: Objects | None = None) -> None:
        """Take a snapshot."""
        self.taken += 1
        wanted = order(self.folder(), mounted=self.volumes())
        created = NOW + timedelta(hours=5 * self.taken)
        wanted = replace(wanted, draft=replace(wanted.draft, created=created))
        job = Job("j1", JobReport(kind="snapshot", state="running"), LinesReporter("j1"))
        await snapshot.take(job, wanted, lake or self.lake, self.url)

    async def pin(self) -> None:
        """Pin a snapshot, or let it go."""
        if one := await self.any():
            pin = None if one.pin else SnapshotPin(since=NOW)
            await self.registry.mark(replace(one, pin=pin))

    async def remove(self) -> None:
        """Remove a snapshot that has no pin."""
        if (one := await self.any()) and not one.pin:
            self.gone.add(one.id)
            with suppress(NotFound):
                await self.registry.remove(one.id)

    async def rules(self) -> None:
        """Apply rules: what has a pin stays."""
        known = await self.all()
        for one in retention.removable(known, RULES):
            assert not one.pin
            self.gone.add(one.id)
            await self.registry.remove(one.id)

    async def collect(self) -> None:
        """Collect, unless somebody writes."""
        with suppress(Conflict):
            await collect(self.lake, History(self.lake, conditional=True), grace=timedelta(0))

    async def at_once(self) -> None:
        """Take and remove snapshots at once, perhaps of the same files; seldom, collect, too."""
        seldom = [self.collect()] if self.rng.random() < SELDOM else []
        await asyncio.gather(self.take(), self.remove(), self.take(), *seldom)

    async def overtaken(self) -> None:
        """Take a snapshot; once its files are stored, remove all others, and collect."""

        async def overtake() -> None:
            for one in await self.all():
                if not one.pin:
                    self.gone.add(one.id)
                    await self.registry.remove(one.id)
            await self.collect()

        await self.take(Overtaken(self.lake, overtake))

    async def share(self) -> None:
        """Make a version of a dataset of the same files."""
        with closing(Catalog(":memory:")) as catalog:
            await sync(
                Wanted(dataset=DATASET, folder=self.folder()),
                self.lake,
                History(self.lake, conditional=True),
                catalog,
                clock=lambda: datetime.now(UTC),
                report=lambda _: None,
            )

    async def all(self) -> list[Snapshot]:
        """Return all snapshots, as the lake has them."""
        await self.registry.refresh()
        assert not self.registry.problems()
        return sorted((each.snapshot for each in self.registry.all()), key=lambda one: one.created)

    async def any(self) -> Snapshot | None:
        """Return one of them."""
        known = await self.all()
        return self.rng.choice(known) if known else None

    async def check(self) -> None:
        """Check that everything that is listed is whole, and nothing else is gone."""
        found = await manifests(self.lake)
        assert len(found) + len(self.gone) == self.taken
        versions = {tree.version for each in found.values() for tree in each.trees}
        commits = await History(self.lake, conditional=True).commits(DATASET)
        for version in versions | {each.version for each in commits}:
            assert await verified(self.lake, version) == []


async def test_no_collection_removes_what_is_shared(
    lake: Objects, lake_url: str, tmp_path: Path, rounds, seed: int, monkeypatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    for number in range(rounds(ALL)):
        rng = random.Random(f"{seed} {number}")  # noqa: S311 (no secret)
        life = Life(lake, lake_url, tmp_path / f"{number}", rng)
        deeds = [
            *(life.take, life.pin, life.remove, life.rules),
            *(life.at_once, life.overtaken, life.share),
        ]
        await life.take()
        for deed in rng.choices(deeds, (3, 2, 2, 1, 1, 2, 1), k=STEPS):
            await deed()
            await life.collect()
            await life.check()
        await emptied(life)


async def emptied(life: Life) -> None:
    """Remove everything; nothing is left of it in the lake."""
    for one in await life.all():
        await life.registry.remove(one.id)
    commits = [each.key async for each in life.lake.list(layout.commits(DATASET))]
    await life.lake.delete(commits)
    await life.collect()
    await life.collect()  # what was packed anew goes the next time
    for prefix in (layout.MANIFESTS, layout.PACKS, layout.OBJECTS):
        assert [each.key async for each in life.lake.list(prefix)] == []
