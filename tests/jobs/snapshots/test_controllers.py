"""Controllers that are killed at any step: what they were asked for is done by the next one."""

from __future__ import annotations

import asyncio
import json
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from jupyter_gpuquota.store.lake.connection import connect
from tests.jobs.forks import Ended, Forks, steps_of
from tests.jobs.snapshots.controlled import SHARED
from tests.jobs.snapshots.taken import manifests
from tests.store.living import listing, verified

pytestmark = pytest.mark.timeout(7200)

ALL, QUICK = 200, 6
"""Rounds of a storm, and in `make test`."""
NEVER = -1


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    for name in ("own", "lake", "work", SHARED):
        (home / name).mkdir(parents=True)
    write(home / "work", "first")
    write(home / SHARED, "first")
    return home


@pytest.fixture
def forks(tmp_path: Path) -> Iterator[Forks]:
    forks = Forks("tests.jobs.snapshots.controlled", XDG_CACHE_HOME=str(tmp_path / "xdg"))
    yield forks
    forks.close()


def write(folder: Path, text: str) -> None:
    for number in range(3):
        (folder / f"{number}.txt").write_text(f"{text} {number}")
    if text == "first":
        (folder / "link").symlink_to("/etc/passwd")


def state(done: Ended) -> dict[str, Any]:
    assert done.code == 0, done.said
    found: dict[str, Any] = json.loads(done.said.splitlines()[-1])
    return found


def killed(done: Ended) -> bool:
    assert done.code in {0, -signal.SIGKILL}, done.said
    return done.code != 0


def left(home: Path) -> set[str]:
    kept = {"own", "lake", "sessions", "hook", "volumes", SHARED}
    return {each.name for each in home.iterdir()} - kept


def made(home: Path) -> list[Path]:
    """Return the volumes that there are, and what is left of others."""
    return sorted(home.glob("volumes/*/*"))


def test_snapshots_are_taken_by_the_next_controller(forks: Forks, home: Path, rounds, seed) -> None:
    steps = state(forks.run(home, NEVER, "take"))["steps"]
    lake, count, dead = connect((home / "lake").as_uri()), rounds(ALL, QUICK), 0
    assert steps > 40
    for number, step in enumerate(steps_of(count, steps, seed)):
        write(home / "work", f"round {number}")
        before = set(asyncio.run(manifests(lake)))
        done = forks.run(home, step, "take")
        dead += killed(done)
        found = state(forks.run(home, NEVER, "rest"))
        after = asyncio.run(manifests(lake))
        assert set(found["snapshots"]) == set(after)
        assert not found["failed"]
        new = set(after) - before
        assert len(new) == 1 or ("asked" not in done.said and not new)
        for each in new:
            assert len(after[each].trees) == len(("work", SHARED))
            for tree in after[each].trees:
                assert asyncio.run(verified(lake, tree.version)) == []
        words = (home / "hook").read_text().split()
        assert not words or words[-1] == "resume", "no session stays paused"
    assert dead > count / 2


def test_restores_are_done_by_the_next_controller(forks: Forks, home: Path, rounds, seed) -> None:
    state(forks.run(home, NEVER, "take"))
    expected, shared = listing(home / "work"), listing(home / SHARED)
    steps = state(forks.run(home, NEVER, "restore"))["steps"]
    count, dead = rounds(ALL, QUICK), 0
    assert steps > 20
    for step in steps_of(count, steps, seed):
        for name in ("new", "volumes"):
            shutil.rmtree(home / name, ignore_errors=True)
        shutil.rmtree(home / "sessions")
        shutil.rmtree(home / "own/snapshots/restores", ignore_errors=True)
        done = forks.run(home, step, "restore")
        dead += killed(done)
        found = state(forks.run(home, NEVER, "rest"))
        assert len(found["restores"]) == 1 or ("asked" not in done.said and not found["restores"])
        for each, folder, session in found["restores"]:
            assert (each, listing(Path(folder))) == ("done", expected)
            assert session
            assert found["sessions"] == [folder], "one session"
        assert left(home) == ({"work", "new"} if found["restores"] else {"work"})
        assert [each.name for each in made(home)] == [f"new-{SHARED}"] * len(found["restores"])
        assert all(listing(each / "files") == shared for each in made(home))
    assert dead > count / 2
