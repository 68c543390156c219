"""Jobs are killed at each of their steps: what they leave is whole or nothing, and is used."""

from __future__ import annotations

import asyncio
import random
import signal
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from jupyter_gpuquota.store.cache import index, sweep
from jupyter_gpuquota.store.cache.fetch import fetch
from jupyter_gpuquota.store.cache.places import Place, place
from jupyter_gpuquota.store.cache.verify import verify
from jupyter_gpuquota.store.catalog import Catalog
from jupyter_gpuquota.store.lake.objects import Objects
from jupyter_gpuquota.store.packs import SMALL
from jupyter_gpuquota.store.upload import Upload
from tests.jobs.forks import Forks
from tests.store.living import listing

pytestmark = pytest.mark.timeout(7200)

ALL = 200
"""Rounds of a storm."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with everything that a version can contain, and little of it."""
    folder = tmp_path / "folder"
    (folder / "a" / "empty").mkdir(parents=True)
    for number in range(6):
        (folder / "a" / f"{number}.txt").write_text(f"number {number}")
    (folder / "link").symlink_to("a/1.txt")
    (folder / "large").write_bytes(bytes(range(256)) * (SMALL // 256 + 1))
    return folder


@pytest.fixture
def store(lake: Objects, folder: Path, tmp_path: Path) -> Callable[[], Place]:
    """Store the folder as a version, and return its place in a cache."""

    def run() -> Place:
        upload = Upload(lake, Catalog(":memory:"), lambda _: None)
        return place(tmp_path / "cache", "faces", asyncio.run(upload.run(folder)).version)

    return run


@pytest.fixture
def forks() -> Iterator[Forks]:
    forks = Forks("tests.jobs.killed")
    yield forks
    forks.close()


@pytest.fixture
def killed(forks: Forks, lake_url: str, tmp_path: Path) -> Callable[..., int]:
    """Run a verb on a version, and kill it at a step; return its steps if it was not killed."""

    def run(step: int, verb: str, there: Place) -> int:
        words = [verb, f"{there.dataset}@{there.version}", "--report=lines"]
        if verb == "cache":
            words += ["--lake", lake_url]
        cache = tmp_path / "cache"
        done = forks.run(step, cache, *words, "--cache", cache)
        assert done.code in ({-signal.SIGKILL, 0} if step else {0}), done.said
        return 0 if done.code else int(done.said.splitlines()[-1])

    return run


def kills(steps: int, rounds: Callable[[int], int], seed: int) -> list[tuple[int, ...]]:
    """Return the steps to kill at in each round: each step once, then two of them in a row."""
    rng = random.Random(seed)  # noqa: S311 (no secret)
    once = [(step,) for step in rng.sample(range(1, steps + 1), steps)]
    twice = [(rng.randint(1, steps), rng.randint(1, steps)) for _ in range(rounds(ALL) - steps)]
    return once + twice


def test_a_fetch_that_is_killed_at_any_step_is_finished_by_the_next(
    lake, store, folder, killed, rounds, seed, tmp_path
):
    there = store()
    steps = killed(0, "cache", there)
    assert steps > 20
    survived, planned = 0, kills(steps, rounds, seed)
    for step in planned:
        sweep.evict(there, datetime.now(UTC))
        sweep.sweep(tmp_path / "cache", kept=0)
        survived += bool([killed(each, "cache", there) for each in step][-1])
        assert [one.state for one in index.read(there.root)] in ([], ["cached"]), step
        if there.is_cached:
            assert listing(there.tree) == listing(folder), step
        asyncio.run(fetch(there, lake, lambda _: None))
        assert listing(there.tree) == listing(folder), step
        assert asyncio.run(verify(there, lake, lambda _: None)) == [], step
        sweep.sweep(there.root, kept=0)
        left = {path.name for path in (there.root / "faces").iterdir()}
        assert left == {there.version, f".{there.version}"}, step
    assert survived < len(planned) / 2, "few jobs end before the step that was chosen"


def test_an_eviction_that_is_killed_at_any_step_is_finished_by_the_next(
    lake, store, folder, killed, rounds, seed
):
    there = store()
    (folder / "more").write_text("more")
    other = store()
    asyncio.run(fetch(other, lake, lambda _: None))
    asyncio.run(fetch(there, lake, lambda _: None))
    expected = listing(there.tree)
    steps = killed(0, "evict", there)
    assert steps > 10
    survived, planned = 0, kills(steps, rounds, seed)
    for step in planned:
        asyncio.run(fetch(there, lake, lambda _: None))
        survived += bool([killed(each, "evict", there) for each in step][-1])
        if there.is_cached:
            assert listing(there.tree) == expected, step
        assert listing(other.tree) == listing(folder), step
        sweep.evict(there, datetime.now(UTC))
        sweep.sweep(there.root, kept=0)
        assert [one.version for one in index.read(there.root)] == [other.version], step
        assert {path.name for path in (there.root / "faces").iterdir()} == {other.version}, step
    assert asyncio.run(verify(other, lake, lambda _: None)) == []
    assert survived < len(planned) / 2, "few jobs end before the step that was chosen"
