"""Full disks, read-only caches, and two processes that fetch the same version."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from jupyter_gpuquota.store.cache import index
from tests.jobs.conftest import ROOT, Start
from tests.jobs.test_verbs import done, synced
from tests.local.conftest import own_disk
from tests.store.living import listing

__all__ = ["own_disk"]

MIB = 1 << 20


def on_disk(prefix: list[str], *words: object) -> tuple[int, str]:
    """Run a program on a small disk; return its exit code, and all that it has said."""
    program = [*prefix, *map(str, words)]
    ran = subprocess.run(
        program, cwd=ROOT, env=dict(os.environ), capture_output=True, text=True, check=False
    )
    return ran.returncode, ran.stdout + ran.stderr


def job(*words: object) -> list[object]:
    """Return the words that run a job."""
    return [sys.executable, "-m", "jupyter_gpuquota.store", *words, "--report=lines"]


def last(text: str) -> dict[str, Any]:
    """Return the problem that a job has told."""
    return msgspec.json.decode(text.splitlines()[-1])


def test_a_version_that_does_not_fit_is_refused_before_it_is_fetched(
    start: Start, lake_url: str, folder: Path, tmp_path: Path, own_disk
) -> None:
    (folder / "noise").write_bytes(os.urandom(3 * MIB))
    named = f"faces@{synced(start, lake_url, folder)}"
    root = tmp_path / "disk" / "cache"
    words = job("cache", named, "--lake", lake_url, "--cache", root)
    code, text = on_disk(own_disk("size=2m"), *words)
    assert code == 8, text
    assert f"The disk of {root} has " in last(text)["message"]
    assert "bytes too few" in last(text)["message"]


def test_a_disk_that_fills_up_meanwhile_is_told_and_nothing_is_left(
    start: Start, lake_url: str, folder: Path, tmp_path: Path, own_disk
) -> None:
    for number in range(40):
        (folder / f"empty-{number}").touch()
    named = f"faces@{synced(start, lake_url, folder)}"
    root = tmp_path / "disk" / "cache"
    words = " ".join(map(str, job("cache", named, "--lake", lake_url, "--cache", root)))
    # There are too few inodes: that is no matter of bytes, which are counted before.
    code, text = on_disk(own_disk("size=200m,nr_inodes=100"), "sh", "-c", f"{words}; find {root}")
    assert code == 0, "that of find"
    assert f"The disk of {root} is full." in text
    assert text.split("StorageFailed")[0].count("/tree") == 0


def test_a_read_only_cache_is_told(
    start: Start, lake_url: str, folder: Path, tmp_path: Path, own_disk
) -> None:
    named = f"faces@{synced(start, lake_url, folder)}"
    root = tmp_path / "disk" / "cache"
    words = job("cache", named, "--lake", lake_url, "--cache", root)
    code, text = on_disk(own_disk("size=20m,ro"), *words)
    assert code == 8, text
    assert f"{root} cannot be written: Read-only file system." in last(text)["message"]


def test_two_processes_that_fetch_one_version_cost_one_download(
    start: Start, lake_url: str, folder: Path, tmp_path: Path
) -> None:
    (folder / "noise").write_bytes(os.urandom(30 * MIB))
    named = f"faces@{synced(start, lake_url, folder)}"
    root = tmp_path / "cache"
    words = ("cache", named, "--lake", lake_url, "--cache", root, "--report=lines")
    both = [start(*words) for _ in range(2)]
    moved = []
    for process in both:
        code, lines, log = process.end()
        assert code == 0, log
        moved.append(lines[-1]["report"]["moved"])
    assert min(moved) == 0, "the second one has waited, or has found it"
    (one,) = index.read(root)
    assert one.state == "cached"
    (copy,) = (root / "faces").glob("[0-9a-f]*")
    assert listing(copy / "tree") == listing(folder)
    assert done(start, "verify", named, "--lake", lake_url, "--cache", root)


@pytest.mark.parametrize("changed", [1, 30])
def test_a_second_version_moves_only_what_has_changed(
    start: Start, lake_url: str, folder: Path, tmp_path: Path, changed: int
) -> None:
    words = ("--lake", lake_url, "--cache", tmp_path / "cache")
    done(start, "cache", f"faces@{synced(start, lake_url, folder)}", *words)
    for number in range(changed):
        (folder / "train" / f"{number}.txt").write_text(f"another {number:04}")
    line = done(start, "cache", f"faces@{synced(start, lake_url, folder)}", *words)
    assert line["report"]["moved"] == changed * len("another 0000")
