"""Restores as processes: the folder appears as a whole, whatever happens meanwhile."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from jupyter_gpuquota.core.snapshots import identity
from jupyter_gpuquota.jobs.job import Job, LinesReporter
from jupyter_gpuquota.jobs.verbs import snapshot
from jupyter_gpuquota.model.datasets.jobs import JobReport
from jupyter_gpuquota.store.catalog import Catalog
from jupyter_gpuquota.store.upload import Upload
from tests.jobs.conftest import ROOT, lake, lake_url
from tests.jobs.forks import Forks, steps_of
from tests.jobs.snapshots.taken import OWNER, manifests, order
from tests.local.conftest import own_disk
from tests.store.living import listing

__all__ = ["lake", "lake_url", "own_disk"]

pytestmark = pytest.mark.timeout(7200)

MODES = {
    "id_key": 0o600,
    "group": 0o664,
    "run.sh": 0o750,
    "closed": 0o400,
    "all": 0o777,
    "set": 0o4755,
    "a": 0o700,
    "only-links": 0o555,
    ".": 0o711,
}
ALL, QUICK = 200, 8
"""Rounds of the storm, and in `make test`."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A session's folder, with links inside and out of it."""
    folder = tmp_path / "work"
    (folder / "a" / "empty").mkdir(parents=True)
    for number in range(5):
        (folder / "a" / f"{number}.txt").write_text(f"number {number}")
    (folder / "large").write_bytes(bytes(range(256)) * (5 << 10))
    (folder / "in").symlink_to("a/1.txt")
    (folder / "only-links").mkdir()
    (folder / "only-links" / "out").symlink_to("/etc/passwd")
    (folder / "up").symlink_to("../elsewhere")
    for name, mode in MODES.items():
        path = folder / name
        if not path.exists():
            path.write_text("1")
        path.chmod(mode)
    return folder


@pytest.fixture
def tree(folder: Path, lake, lake_url: str, tmp_path: Path, monkeypatch) -> str:
    """The stored folder, as a restore is told it."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    job = Job("j1", JobReport(kind="snapshot", state="waiting"), LinesReporter("j1"))
    made = asyncio.run(snapshot.take(job, order(folder), lake, lake_url))
    found = asyncio.run(manifests(lake))[made]
    assert found.tree
    assert not found.problems, "links that lead out are no problems"
    return f"{identity.tree_dataset(OWNER)}@{found.tree.version}"


@pytest.fixture
def forks() -> Iterator[Forks]:
    forks = Forks("tests.jobs.killed")
    yield forks
    forks.close()


def words(tree: str, target: Path, lake_url: str) -> list[str]:
    named = ["--tree", tree, "--folder", str(target)]
    return ["restore", "--report=lines", "--lake", lake_url, *named]


def test_a_restore_that_is_killed_at_any_step_is_done_by_the_next(
    forks: Forks, folder: Path, tree: str, lake_url: str, tmp_path: Path, rounds, seed
) -> None:
    place = tmp_path / "place"
    place.mkdir()
    target, expected = place / "new", listing(folder)
    restore = words(tree, target, lake_url)
    done = forks.run(0, place, *restore)
    assert (done.code, listing(target)) == (0, expected), done.said
    assert (target / "only-links/out").readlink() == Path("/etc/passwd")
    steps, dead, count = int(done.said.splitlines()[-1]), 0, rounds(ALL, QUICK)
    assert steps > 15
    for step in steps_of(count, steps, seed):
        shutil.rmtree(target)
        done = forks.run(step + 1, place, *restore)
        assert done.code in {0, -signal.SIGKILL}, done.said
        dead += done.code != 0
        assert not target.exists() or listing(target) == expected, step
        if not target.exists():
            done = forks.run(0, place, *restore)
            assert done.code == 0, done.said
        assert listing(target) == expected, step
        if done.code == 0:
            left = {each.name for each in place.iterdir()}
            assert left == {"new"}, step
        else:  # it was killed after the folder was complete: the next restore sweeps
            shutil.rmtree(target)
            assert forks.run(0, place, *restore).code == 0
            assert {each.name for each in place.iterdir()} == {"new"}, step
    assert dead > count / 2


def test_a_folder_that_appears_meanwhile_stays_as_it_is(
    forks: Forks, tree: str, lake_url: str, tmp_path: Path
) -> None:
    target = tmp_path / "mine"
    target.write_text("mine")
    done = forks.run(0, tmp_path, *words(tree, target, lake_url))
    assert done.code != 0
    assert "exists already" in done.said
    assert target.read_text() == "mine"
    assert not list(tmp_path.glob(".mine.restoring-*"))


@pytest.mark.parametrize(
    ("options", "said"), [("size=1m", "is full"), ("size=20m,ro", "Read-only file system")]
)
def test_a_disk_that_is_full_or_read_only_is_told(
    tree: str, lake_url: str, tmp_path: Path, own_disk, options: str, said: str
) -> None:
    job = [sys.executable, "-m", "jupyter_gpuquota.store"]
    ran = subprocess.run(
        [*own_disk(options), *job, *words(tree, tmp_path / "disk" / "new", lake_url)],
        cwd=ROOT,
        env=dict(os.environ),
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode != 0
    assert "StorageFailed" in ran.stdout
    assert said in ran.stdout


@pytest.mark.parametrize("umask", [0o022, 0o002, 0o077, 0o000])
def test_modes_come_back_as_far_as_the_umask_allows(
    tree: str, tmp_path: Path, lake_url: str, umask: int
) -> None:
    target = tmp_path / f"restored-{umask}"
    restored(tree, target, lake_url, umask)
    found = {name: stat.S_IMODE((target / name).stat().st_mode) for name in MODES}
    wanted = {name: mode & 0o777 & ~umask for name, mode in MODES.items()}
    assert found == {**wanted, ".": wanted["."] | 0o700}
    plain = stat.S_IMODE((target / "a" / "1.txt").stat().st_mode)
    assert plain == 0o644 & ~umask
    assert (target / "only-links" / "out").is_symlink()
    assert not (target / ".gpuquota").exists()


def test_without_known_modes_nobody_else_gets_a_right(
    folder: Path, lake, lake_url: str, tmp_path: Path
) -> None:
    """Earlier versions have stored no modes."""
    for link in ("up", "only-links/out"):
        (folder / link).unlink()
    uploaded = asyncio.run(Upload(lake, Catalog(":memory:"), lambda _: None).run(folder))
    target = tmp_path / "restored"
    restored(f"x@{uploaded.version}", target, lake_url, 0o022)
    for path in (target, *target.rglob("*")):
        assert path.is_symlink() or not path.stat().st_mode & 0o077, path
    assert os.access(target / "run.sh", os.X_OK)


def restored(tree: str, target: Path, lake_url: str, umask: int) -> None:
    command = [sys.executable, "-m", "jupyter_gpuquota.store", *words(tree, target, lake_url)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, umask=umask, check=False)
    assert done.returncode == 0, done.stderr
