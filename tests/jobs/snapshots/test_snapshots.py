"""Snapshots as processes take them: whole, without secrets, whatever happens meanwhile."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from jupyter_gpuquota.control.snapshots.registry import entry_of
from jupyter_gpuquota.model.snapshots.orders import SnapshotOrder
from jupyter_gpuquota.model.volumes.mounts import Mount
from tests.jobs.conftest import ROOT, lake, lake_url
from tests.jobs.forks import Forks, steps_of
from tests.jobs.snapshots.taken import git, manifests, order, volume
from tests.local.conftest import own_disk
from tests.store.living import entries, fetched, listing, verified

__all__ = ["lake", "lake_url", "own_disk"]

pytestmark = [pytest.mark.asyncio, pytest.mark.timeout(7200)]

TOKEN = "ghp_" + "s3cr3t" * 6
ALL, QUICK = 200, 12
"""Rounds of the storm, and in `make test`."""

Take = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A session's folder: code in git, a notebook, secrets, and links that lead out."""
    folder = tmp_path / "work"
    (folder / "empty").mkdir(parents=True)
    (folder / "train.py").write_text("print(1)\n")
    (folder / ".env").write_text(f"API_KEY={TOKEN}\n")
    (folder / ".netrc").write_text(f"machine h login ana password {TOKEN}\n")
    cells = [{"cell_type": "code", "execution_count": n, "source": "1"} for n in (1, None)]
    (folder / "a.ipynb").write_text(json.dumps({"cells": [*cells, {"cell_type": "markdown"}]}))
    (folder / "out").symlink_to("/etc/passwd")
    (folder / "in").symlink_to("train.py")
    (folder / "large").write_bytes(bytes(3 << 20))
    git(folder, "init")
    git(folder, "add", "train.py", ".netrc")
    git(folder, "commit", "-m", "first")
    git(folder, "remote", "add", "origin", f"https://ana:{TOKEN}@example.org/a.git")
    (folder / "train.py").write_text(f"print(2)\nkey = '{TOKEN}x'\n")
    (folder / ".netrc").write_text(f"machine h login ana password {TOKEN}2\n")
    os.mkfifo(folder / "pipe")
    return folder


@pytest.fixture
def words(lake_url: str, tmp_path: Path) -> Callable[..., list[str]]:
    """Return the command that takes a snapshot, and dies at a step."""

    def make(wanted: SnapshotOrder, *step: int, name: str = "order") -> list[str]:
        path = tmp_path / f"{name}.json"
        path.write_bytes(msgspec.json.encode(wanted))
        module = ["-m", "tests.jobs.snapshots.taken", str(path), lake_url]
        return [sys.executable, *module, *map(str, step)]

    return make


@pytest.fixture
def take(words, tmp_path: Path) -> Take:
    """Take a snapshot to its end, or to its death."""

    def run(wanted: SnapshotOrder, *step: int, prefix: tuple[str, ...] = ()) -> object:
        return subprocess.run(
            [*prefix, *words(wanted, *step)],
            cwd=ROOT,
            env={**os.environ, "XDG_CACHE_HOME": str(tmp_path / "xdg")},
            capture_output=True,
            text=True,
            check=False,
        )

    return run


def made(done: subprocess.CompletedProcess[str]) -> dict[str, object]:
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


async def test_a_snapshot_has_every_part_and_no_secret(take, folder, lake, lake_url, tmp_path):
    log = tmp_path / "session.log"
    log.write_text(f"started\nAPI_TOKEN={TOKEN}\n")
    wanted = order(folder, prefix=sys.prefix, artifacts=("lar*", "best-*"), log=str(log))
    mounts = (Mount(volume="scans", path="/scans"),)
    spec = replace(wanted.draft.spec, volumes=mounts)
    wanted = replace(wanted, draft=replace(wanted.draft, spec=spec))
    snapshot = made(take(wanted))["snapshot"]
    manifest = (await manifests(lake))[snapshot]
    assert [(each.path, each.cells, each.executed) for each in manifest.notebooks] == [
        ("a.ipynb", 2, 1)
    ]
    (repository,) = manifest.git
    assert repository.remote == "https://example.org/a.git"
    assert repository.dirty
    assert repository.branch == "main"
    assert "a.ipynb" in repository.untracked
    assert manifest.environment.packages["pytest"], manifest.problems
    assert [each.path for each in manifest.artifacts] == ["large"]
    assert [each.path for each in manifest.logs] == [".gpuquota/snapshot/log.txt"]
    left = {each.part.removeprefix("left out:"): each.message for each in manifest.problems}
    assert {".env", ".netrc", "pipe", ".git/config"} <= left.keys()
    assert left["best-*"] == "No file matches it."
    assert (
        left["scans"] == "The files of the volume scans are not in the snapshot: it was not chosen."
    )
    assert "lar*" not in left
    assert manifest.tree
    restored = await fetched(lake, manifest.tree.version, tmp_path / "restored")
    assert (restored / "train.py").read_text() == (folder / "train.py").read_text()
    assert (restored / "in").is_symlink()
    assert (restored / ".gpuquota/snapshot/links").read_bytes() == b"out\0/etc/passwd\0"
    assert (restored / "large").read_bytes() == bytes(3 << 20)
    patch = (restored / ".gpuquota/snapshot/0.patch").read_text()
    assert "+print(2)" in patch
    assert "netrc" not in patch
    (restored / "train.py").unlink()  # a user's own code may have anything in it
    for path in [*restored.rglob("*"), *Path(lake_url[7:], "snapshots").rglob("*")]:
        objects = path.relative_to(restored).parts[:2] if path.is_relative_to(restored) else ()
        if path.is_file() and objects != (".git", "objects"):
            assert TOKEN.encode() not in path.read_bytes(), path


async def test_parts_that_fail_fail_alone(take, folder, lake):
    (folder / ".git/HEAD").write_text("nonsense")
    (folder / "b.ipynb").write_text("no notebook")
    snapshot = made(take(order(folder, prefix="/nowhere")))["snapshot"]
    manifest = (await manifests(lake))[snapshot]
    assert {"git", "environment"} <= {each.part for each in manifest.problems}
    assert all(each.message for each in manifest.problems)
    assert manifest.tree
    assert await verified(lake, manifest.tree.version) == []


async def test_a_kill_at_any_step_leaves_nothing_half(
    folder, lake, rounds, seed, lake_url, tmp_path
):
    path = tmp_path / "order.json"
    path.write_bytes(msgspec.json.encode(order(folder)))
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    forks = Forks(
        "tests.jobs.snapshots.taken",
        XDG_CACHE_HOME=str(tmp_path / "xdg"),
        TMPDIR=str(temporary),
    )
    try:
        await _killed_at_steps(forks, (path, lake_url), folder, lake, rounds(ALL, QUICK), seed)
    finally:
        forks.close()
    assert not list(temporary.glob("gpuquota-snapshot-*")), "copies of killed ones are swept up"


async def _killed_at_steps(forks, words, folder, lake, count, seed):
    steps = int(json.loads(forks.run(*words).said)["steps"])
    assert steps > 15
    dead = 0
    for number, step in enumerate(steps_of(count, steps, seed)):
        (folder / "train.py").write_text(f"print({number})\n" * 3)
        (folder / "large").write_bytes(bytes(2 << 20) + number.to_bytes(2, "big"))
        before = set(await manifests(lake))
        done = forks.run(*words, step)
        assert done.code in {0, -signal.SIGKILL}, done.said
        dead += done.code != 0
        for each in (await manifests(lake)).values():
            assert each.tree
            await entries(lake, each.tree.version)
        done = forks.run(*words)
        assert done.code == 0, done.said
        snapshot = json.loads(done.said)["snapshot"]
        after = await manifests(lake)
        assert set(after) == before | {snapshot}, "goes on with the same snapshot"
        assert await verified(lake, after[snapshot].tree.version) == []
    assert dead > count / 2


async def test_volumes_are_stored_beside_the_folder_and_each_may_fail_alone(take, folder, lake):
    scratch = folder.parent / "scratch"
    scratch.mkdir()
    (scratch / "weights").write_bytes(b"weights" * 1000)
    (scratch / "id_rsa").write_text(TOKEN)
    (scratch / "out").symlink_to("/etc/passwd")
    lost = replace(volume(folder / "none", "lost"), writes=True)
    done = made(take(order(folder, mounted=(volume(scratch), lost))))
    manifest = (await manifests(lake))[done["snapshot"]]
    (part,) = manifest.volumes
    assert (part.volume, part.path, part.provider) == ("scratch", "/scratch", "lake")
    assert part.tree
    assert (part.handle, part.size) == (part.tree.version, part.tree.size)
    assert (part.consistency, manifest.consistency) == ("quiesced", "quiesced")
    assert done["problems"]["left out:scratch/id_rsa"] == "It is a file of credentials or keys."
    assert done["problems"]["volume:lost"].startswith("It was not copied: ")
    assert await verified(lake, part.tree.version) == []
    tree = await fetched(lake, part.tree.version, folder.parent / "restored")
    assert (tree / "weights").read_bytes() == (scratch / "weights").read_bytes()
    assert not (tree / "id_rsa").exists()
    assert (tree / ".gpuquota/snapshot/links").read_bytes() == b"out\0/etc/passwd\0"


async def test_of_very_many_secrets_some_are_named_and_others_counted(take, folder, lake):
    for number in range(30):
        (folder / f"{number:02}.p12").write_text(TOKEN)
    snapshot = made(take(order(folder)))["snapshot"]
    manifest = (await manifests(lake))[snapshot]
    left = [each for each in manifest.problems if each.part.startswith("left out")]
    assert len(left) == 21
    count = len([".env", ".netrc", "pipe", ".git/config"]) + 30 - 20
    assert (left[-1].part, left[-1].message) == ("left out", f"{count} more paths, not named here.")


async def test_a_volume_that_others_write_is_best_effort(take, folder, lake):
    busy = replace(volume(folder / "empty", "busy"), writes=True)
    snapshot = made(take(order(folder, mounted=(busy,))))["snapshot"]
    manifest = (await manifests(lake))[snapshot]
    assert [each.consistency for each in manifest.volumes] == ["best-effort"]
    assert manifest.consistency == "best-effort"


@pytest.mark.parametrize("common", [False, True], ids=["a folder", "and a volume"])
async def test_two_at_once_are_both_whole(words, folder, lake, tmp_path, *, common):
    shared = tmp_path / "shared"
    shared.mkdir()
    (shared / "weights").write_bytes(os.urandom(2 << 20))
    wanted = order(folder, mounted=(volume(shared),) if common else ())
    env = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "xdg")}
    other = msgspec.structs.replace(wanted, id="j2")
    other = msgspec.structs.replace(
        other, draft=msgspec.structs.replace(other.draft, note="the other")
    )
    both = [
        await asyncio.create_subprocess_exec(
            *words(each, name=each.id), cwd=ROOT, env=env, stdout=asyncio.subprocess.PIPE
        )
        for each in (wanted, other)
    ]
    said = [(await each.communicate())[0] for each in both]
    assert [each.returncode for each in both] == [0, 0], said
    found = await manifests(lake)
    assert {json.loads(each)["snapshot"] for each in said} == set(found)
    for each in found.values():
        assert len(each.trees) == 1 + common
        for tree in each.trees:
            assert await verified(lake, tree.version) == []


async def test_a_session_may_write_meanwhile(take, folder, lake, tmp_path):
    (folder / "log").write_bytes(b"a line\n" * 200_000)
    stop = threading.Event()

    def write() -> None:
        number = 0
        while not stop.is_set():
            number += 1
            with (folder / "log").open("ab") as file:
                file.write(b"a line\n")
            (folder / "new").write_text(f"{number}")
            (folder / "new").replace(folder / f"moved-{number % 50}")
            (folder / f"moved-{(number + 25) % 50}").unlink(missing_ok=True)

    async def consistencies(snapshots: set[str]) -> set[str]:
        return {
            each.consistency for key, each in (await manifests(lake)).items() if key in snapshots
        }

    writer = threading.Thread(target=write)
    writer.start()
    found: set[str] = set()
    try:
        # On a busy machine the writer may sleep while a few files are read.
        while len(found) < 3 or "best-effort" not in await consistencies(found):
            assert len(found) < 50
            found.add(made(take(order(folder)))["snapshot"])
    finally:
        stop.set()
        writer.join()
    for snapshot in found:
        manifest = (await manifests(lake))[snapshot]
        assert await verified(lake, manifest.tree.version) == []
        tree = await fetched(lake, manifest.tree.version, tmp_path / f"out-{snapshot}")
        assert set((tree / "log").read_bytes().split(b"\n")[:-1]) == {b"a line"}


async def test_a_file_that_never_rests_makes_a_snapshot_incomplete(take, folder, lake):
    path, stop = folder / "never.bin", threading.Event()
    path.write_bytes(bytes(1 << 20))

    def write() -> None:
        number = 0
        while not stop.is_set():
            number += 1
            with path.open("r+b", buffering=0) as file:
                file.seek(number * 4096 % (1 << 20))
                file.write(b"%d" % number)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for _ in range(50):  # on a busy machine the writer may sleep meanwhile
            done = made(take(order(folder)))
            if "torn:never.bin" in done["problems"]:
                break
    finally:
        stop.set()
        writer.join()
    assert "its parts are of different moments" in done["problems"]["torn:never.bin"]
    manifest = (await manifests(lake))[done["snapshot"]]
    shown = entry_of("main", done["snapshot"], manifest).snapshot
    assert (shown.state, shown.problems, shown.consistency) == ("partial", 1, "best-effort")
    done = made(take(order(folder)))
    assert not [part for part in done["problems"] if part.startswith("torn")]


async def test_what_cannot_be_encoded_stops_no_snapshot(take, folder, lake):
    (folder / os.fsdecode(b"caf\xe9.ipynb")).write_text("{}")
    (folder / "deep.ipynb").write_text('{"cells":' * 100_000)
    done = made(take(order(folder)))
    assert done["problems"]["unread:deep.ipynb"].startswith("It is no notebook")
    manifest = (await manifests(lake))[done["snapshot"]]
    assert r"caf\xe9.ipynb" in {each.path for each in manifest.notebooks}
    assert entry_of("main", done["snapshot"], manifest).snapshot.state == "ready"


async def test_a_folder_that_may_not_be_written_is_stored(take, folder, lake, tmp_path):
    before = listing(folder / "empty"), sorted(folder.iterdir())
    folder.chmod(0o555)
    try:
        snapshot = made(take(order(folder)))["snapshot"]
    finally:
        folder.chmod(0o755)
    assert (await manifests(lake))[snapshot].tree.files > 2
    assert (listing(folder / "empty"), sorted(folder.iterdir())) == before


@pytest.mark.parametrize("filled", ["work", "volume"])
async def test_a_full_lake_is_told(words, folder, own_disk, tmp_path, filled):
    """Without the session's folder there is no snapshot; a volume fails alone."""
    disk, shared = tmp_path / "disk", tmp_path / "volume"
    shared.mkdir()
    command = words(order(folder, mounted=(volume(shared, "volume"),)))
    command[-1] = f"file://{disk}"
    (folder / "large").unlink()
    (tmp_path / filled / "large").write_bytes(os.urandom(3 << 20))
    done = await asyncio.create_subprocess_exec(
        *own_disk("size=1m"),
        *["env", f"XDG_CACHE_HOME={tmp_path / 'xdg'}", *command],
        cwd=ROOT,
        stdout=asyncio.subprocess.PIPE,
    )
    said = (await done.communicate())[0].decode()
    assert "full" in said
    if filled == "work":
        assert done.returncode == 1, said
        assert said.startswith("StorageFailed: "), said
    else:
        assert done.returncode == 0, said
        assert "full" in json.loads(said)["problems"]["volume:volume"]


async def test_a_manifest_of_an_older_version_is_read(take, folder, lake):
    """Fields that an older version did not know have their defaults."""
    from jupyter_gpuquota.core.snapshots import identity  # noqa: PLC0415

    snapshot = made(take(order(folder)))["snapshot"]
    known = json.loads(await lake.get(identity.key("ana", snapshot)))
    for name in ("kernel", "mlflow_run", "logs", "artifacts", "metrics", "volumes", "environment"):
        known.pop(name)
    body = json.dumps(known).encode()
    older = identity.identity(body)
    await lake.create(identity.key("ana", older), body)
    manifest = (await manifests(lake))[older]
    assert manifest.tree
    assert await verified(lake, manifest.tree.version) == []
