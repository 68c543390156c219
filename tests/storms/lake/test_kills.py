"""Syncs and collections are killed at every step; no version is ever torn or lost."""

from __future__ import annotations

import asyncio
import hashlib
import signal
import time

import pytest

from tests.jobs.forks import steps_of
from tests.storms.lake.place import Place

pytestmark = [pytest.mark.asyncio, pytest.mark.timeout(7200)]

GARBAGE = 40
"""Steps in which a collection removes what is left, and packs anew."""
QUICK = 12
"""Rounds in `make test`."""
KILLED = -signal.SIGKILL


def on_disk(place: Place) -> dict[str, str]:
    return {
        str(path.relative_to(place.folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in place.folder.rglob("*")
        if path.is_file()
    }


async def check(place: Place, kept: int) -> None:
    """Check that every version is whole, and none is gone."""
    assert await place.problems() == []
    assert await place.versions() >= kept


async def test_a_kill_at_any_step_tears_nothing(place: Place, rounds, seed, show) -> None:
    """Each round kills a sync and a collection, then both go on."""
    count = rounds(200, QUICK)
    steps = {verb: int(place.run(verb)[1]) for verb in ("sync", "collect")}
    dead = dict.fromkeys(steps, 0)
    kills = {verb: steps_of(count, usual + GARBAGE, seed) for verb, usual in steps.items()}
    for number in range(count):
        place.change()
        await place.forget()
        kept = await place.versions()
        for verb in steps:
            code, said = place.run(verb, kills[verb][number])
            assert code in {0, KILLED}, said
            dead[verb] += code == KILLED
            await check(place, kept)
            place.expire()
        # What has begun is finished, and nothing that is needed was removed.
        code, said = place.run("sync")
        assert code == 0, said
        code, said = place.run("collect")
        assert code == 0, said
        await check(place, kept)
        assert await place.latest() == on_disk(place)
    assert all(dead.values())
    show("kills of lakes at steps", {"steps": steps, "killed": dead, "of rounds": count})


async def test_a_kill_at_any_time_tears_nothing(place: Place, rounds, show) -> None:
    """Processes are killed at random: also while they read files and write their catalog."""
    place.run("sync")
    started = time.monotonic()
    place.change()
    place.run("sync")
    usual = time.monotonic() - started
    dead = 0
    count = rounds(200)
    for _ in range(count):
        place.change()
        kept = await place.versions()
        process = place.start("sync")
        await asyncio.sleep(place.rng.uniform(usual / 4, usual))
        process.kill()
        process.communicate()
        dead += process.returncode == KILLED
        await check(place, kept)
        place.expire()
    code, said = place.run("sync")
    assert code == 0, said
    assert await place.latest() == on_disk(place)
    show("kills of lakes at random", {"killed": dead, "of rounds": count})
