"""Each verb does its work in a process of its own, and prints lines that say so."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest

from jupyter_gpuquota.model.datasets.caches import Pin
from jupyter_gpuquota.model.datasets.lines import JobLine
from jupyter_gpuquota.store import published
from jupyter_gpuquota.store.cache import index, sweep
from jupyter_gpuquota.store.cache.places import place
from scripts.s3 import servers
from tests.jobs.conftest import ROOT, Start
from tests.store.cache.conftest import flip
from tests.store.living import listing

LINES = ("--report", "lines")


def done(start: Start, *words: object, code: int = 0, **environment: str) -> dict[str, Any]:
    """Run a job to its end, and return its last line."""
    found, lines, log = start(*words, *LINES, **environment).end()
    assert found == code, log
    for line in lines:
        msgspec.convert(line, JobLine)
    return lines[-1]


def synced(start: Start, lake_url: str, folder: Path, *more: str) -> str:
    """Return the version of a folder."""
    line = done(start, "sync", "faces", folder, "--lake", lake_url, *more)
    return line["report"]["version"]


def test_a_version_is_synced_cached_verified_exported_and_evicted(
    start: Start, lake_url: str, folder: Path, tmp_path: Path
) -> None:
    words = ("--message", "begin", "--tag", "v1", "--author", "ana")
    line = done(start, "sync", "faces", folder, "--lake", lake_url, *words, GPUQUOTA_SESSION="s1")
    assert (line["report"]["kind"], line["report"]["state"]) == ("sync", "done")
    assert line["report"]["folder"] == str(folder)
    commit = line["commit"]
    assert (commit["message"], commit["author"], commit["tags"]) == ("begin", "ana", ["v1"])
    assert (commit["source"], commit["files"]) == ("session:s1", 302)
    version = line["report"]["version"]
    root, named = tmp_path / "cache", f"faces@{version}"
    line = done(start, "cache", named, "--lake", lake_url, "--cache", root)
    (item,) = line["index"]["items"]
    assert (item["dataset"], item["version"], item["state"]) == ("faces", version, "cached")
    assert line["index"]["room"]["used"] == item["size"] == line["report"]["done"]
    both = ("--lake", lake_url, "--cache", root)
    line = done(start, "verify", named, *both)
    assert line["report"]["findings"] == []
    done(start, "export", named, tmp_path / "out", "--cache", root)
    assert listing(tmp_path / "out") == listing(folder)
    line = done(start, "evict", named, "--cache", root)
    assert line["index"]["items"] == []
    done(start, "export", named, tmp_path / "again", "--lake", lake_url)
    assert listing(tmp_path / "again") == listing(folder)
    assert done(start, "index", "--cache", root)["index"]["items"] == []


def test_an_export_may_be_changed_without_changing_the_cache(
    start: Start, lake_url: str, folder: Path, tmp_path: Path
) -> None:
    (folder / "run.sh").write_text("#!/bin/sh")
    (folder / "run.sh").chmod(0o755)
    named, root = f"faces@{synced(start, lake_url, folder)}", tmp_path / "cache"
    done(start, "cache", named, "--lake", lake_url, "--cache", root)
    done(start, "export", named, tmp_path / "out", "--cache", root)
    exported = tmp_path / "out" / "train" / "0.txt"
    assert exported.stat().st_mode & 0o777 == 0o666 & ~umask()
    assert (tmp_path / "out" / "run.sh").stat().st_mode & 0o777 == 0o777 & ~umask()
    assert exported.stat().st_nlink == 1
    assert (tmp_path / "out" / "large").stat().st_blocks < 100, "holes stay holes"
    line = done(start, "export", named, tmp_path / "out", "--cache", root, code=4)
    assert line["report"]["problem"]["message"] == f"{tmp_path / 'out'} exists already."


def umask() -> int:
    """Return the umask of this process."""
    status = Path("/proc/self/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("Umask")).split()[1], 8)


def test_an_export_replaces_what_is_damaged_in_the_cache(
    start: Start, lake_url: str, folder: Path, tmp_path: Path
) -> None:
    named, root = f"faces@{synced(start, lake_url, folder)}", tmp_path / "cache"
    done(start, "cache", named, "--lake", lake_url, "--cache", root)
    (copy,) = (root / "faces").glob("[0-9a-f]*")
    flip(copy / published.TREE / "train" / "107.txt")
    line = done(start, "export", named, tmp_path / "no", "--cache", root, code=6)
    assert "its lake was not named" in line["report"]["problem"]["message"]
    done(start, "export", named, tmp_path / "out", "--cache", root, "--lake", lake_url)
    assert listing(tmp_path / "out") == listing(folder)
    assert not (tmp_path / "no").exists()


def test_damage_in_the_cache_is_named_and_repaired(
    start: Start, lake_url: str, folder: Path, tmp_path: Path
) -> None:
    named, root = f"faces@{synced(start, lake_url, folder)}", tmp_path / "cache"
    done(start, "cache", named, "--lake", lake_url, "--cache", root)
    (copy,) = (root / "faces").glob("[0-9a-f]*")
    flip(copy / published.TREE / "train" / "7.txt")
    line = done(start, "verify", named, "--cache", root, "--only", "cache", code=1)
    assert line["report"]["findings"] == ["train/7.txt"]
    assert line["report"]["problem"]["code"] == "Damaged"
    assert line["index"]["items"][0]["state"] == "damaged"
    line = done(start, "verify", named, "--cache", root, "--lake", lake_url)
    assert (line["report"]["findings"], line["report"]["problem"]) == (["train/7.txt"], None)
    assert listing(copy / published.TREE) == listing(folder)


def test_damage_in_the_lake_is_named(
    start: Start, lake_url: str, folder: Path, tmp_path: Path
) -> None:
    named = f"faces@{synced(start, lake_url, folder)}"
    (part, *_) = (path for path in (tmp_path / "lake" / "objects").rglob("*") if path.is_file())
    flip(part)
    line = done(start, "verify", named, "--lake", lake_url, code=1)
    assert line["report"]["findings"] == ["large"]
    assert "1 damaged path in the lake: large" in line["report"]["problem"]["message"]


def test_garbage_of_a_lake_is_collected_but_not_what_a_cache_holds(
    start: Start, lake_url: str, folder: Path, tmp_path: Path
) -> None:
    first = synced(start, lake_url, folder)
    root = tmp_path / "cache"
    done(start, "cache", f"faces@{first}", "--lake", lake_url, "--cache", root)
    for commit in (tmp_path / "lake" / "datasets").rglob("*.json"):
        commit.unlink()
    words = ("gc", "--lake", lake_url, "--grace", "0")
    assert done(start, *words, "--cache", root)["report"]["files"] == 0
    assert done(start, *words, "--keep", first)["report"]["files"] == 0
    copy = place(root, "faces", first)
    sweep.evict(copy, datetime.now(UTC))
    index.pin(copy, Pin(user="ana"))
    assert done(start, *words, "--cache", root)["report"]["files"] == 0, "it is pinned"
    assert done(start, *words)["report"]["files"] > 0
    assert not [path for path in (tmp_path / "lake" / "packs").rglob("*") if path.is_file()]


def test_errors_have_the_exit_codes_of_the_shell(
    start: Start, lake_url: str, folder: Path, tmp_path: Path
) -> None:
    none = f"faces@{'0' * 64}"
    assert done(start, "cache", none, "--lake", lake_url, "--cache", tmp_path, code=3)
    assert done(start, "cache", none, "--lake", "ftp://x", "--cache", tmp_path, code=2)
    assert done(start, "cache", "../..@x", "--lake", lake_url, "--cache", tmp_path, code=2)
    assert done(start, "sync", "../x", folder, "--lake", lake_url, code=2)
    assert done(start, "sync", "faces", folder, "--lake", lake_url, "--tag", "a/b", code=2)
    missing = ("--credentials", tmp_path / "none")
    line = done(start, "sync", "faces", folder, "--lake", lake_url, *missing, code=5)
    assert "cannot be read" in line["report"]["problem"]["message"]
    (tmp_path / "file").touch()
    assert done(start, "cache", none, "--lake", lake_url, "--cache", tmp_path / "file/x", code=8)
    assert done(start, "export", none, tmp_path / "out", "--cache", tmp_path, code=2)


def test_a_prefix_of_a_bucket_is_imported(
    start: Start, lake_url: str, versitygw: tuple[str, Path], tmp_path: Path
) -> None:
    endpoint, buckets = versitygw
    (buckets / "theirs" / "data" / "sub").mkdir(parents=True)
    (buckets / "theirs" / "data" / "sub" / "a").write_text("a")
    url, variables = "s3://theirs/data", servers.environment(endpoint)
    words = ("import", "faces", url, "--lake", lake_url)
    line = done(start, *words, "--tag", "v1", "--author", "ana", **variables)
    assert (line["report"]["kind"], line["report"]["state"]) == ("import", "done")
    commit = line["commit"]
    assert (commit["source"], commit["author"], commit["tags"]) == (url, "ana", ["v1"])
    assert commit["message"].startswith(f"{url} as of ")
    named = f"faces@{line['report']['version']}"
    done(start, "export", named, tmp_path / "out", "--lake", lake_url)
    assert listing(tmp_path / "out") == {"sub/a": b"a"}
    again = done(start, *words, **variables)
    assert again["report"]["version"] == line["report"]["version"]


def test_an_account_without_a_name_and_a_home_syncs(lake_url: str, folder: Path) -> None:
    """As in containers that run with any user id."""
    prefix = ["unshare", "--user", "--map-user=4242", "--map-group=4242", "env", "-i"]
    if subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode:
        pytest.skip("this machine lets no user become another one")
    job = [sys.executable, "-m", "jupyter_gpuquota.store", "sync", "faces", str(folder)]
    words = [*prefix, *job, "--lake", lake_url, *LINES]
    ran = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert msgspec.json.decode(ran.stdout.splitlines()[-1])["commit"]["author"] == "user-4242"


def test_what_is_damaged_is_told_and_stops_nothing_else(
    start: Start, lake_url: str, folder: Path, tmp_path: Path
) -> None:
    first = synced(start, lake_url, folder)
    (folder / "new").touch()
    synced(start, lake_url, folder)
    lake = tmp_path / "lake"
    damaged = lake / "datasets" / "faces" / "commits" / "00000002.json"
    damaged.write_bytes(b"")
    (folder / "newer").touch()
    last = synced(start, lake_url, folder)
    line = done(start, "gc", "--lake", lake_url, "--grace", "0", code=1)
    assert line["report"]["findings"] == ["datasets/faces/commits/00000002.json"]
    assert "has stayed" in line["report"]["problem"]["hint"]
    manifest = lake / "manifests" / first[:2] / f"{first[2:]}.jsonl.gz"
    manifest.write_bytes(b"")
    also = ("--also", f"faces@{last}")
    line = done(start, "verify", f"faces@{first}", "--lake", lake_url, *also, code=1)
    assert line["report"]["findings"] == [str(manifest.relative_to(lake))]
    assert line["report"]["files"] == 304, "the other one was verified"
    line = done(start, "gc", "--lake", lake_url, "--grace", "0", code=1)
    assert "Nothing was removed" in line["report"]["problem"]["message"]
