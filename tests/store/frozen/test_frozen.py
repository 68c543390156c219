"""Frozen views by every provider: they do not change, and nothing is left of them."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from jupyter_gpuquota.store import frozen as views
from jupyter_gpuquota.store.catalog import identity
from jupyter_gpuquota.store.entries import FOLDER
from jupyter_gpuquota.store.exclusion import Exclusion
from jupyter_gpuquota.store.frozen import (
    Btrfs,
    Commands,
    Mount,
    Provider,
    Reflinks,
    Refused,
    frozen,
)
from jupyter_gpuquota.store.snapshots import SessionFolder
from tests.store.contents import put
from tests.store.frozen.disks import disk

pytestmark = pytest.mark.asyncio


class Ground(NamedTuple):
    """A folder, and what freezes it."""

    folder: Path
    provider: Provider
    atomic: bool


class FrozenContract:
    """What every provider does."""

    @pytest.fixture
    def filled(self, ground: Ground) -> Iterator[Ground]:
        folder = ground.folder
        (folder / "a" / "empty").mkdir(parents=True)
        (folder / "a" / "x").write_text("one")
        (folder / "run").write_text("#!/bin/sh")
        (folder / "run").chmod(0o755)
        (folder / "out").symlink_to("/etc/passwd")
        yield ground
        assert not (folder / ".gpuquota").exists(), "nothing is left in the user's folder"

    async def test_a_view_does_not_change_and_is_removed(self, filled: Ground) -> None:
        folder = filled.folder
        async with frozen(folder, [filled.provider]) as view:
            assert view
            assert (view.provider, view.atomic) == (filled.provider.name, filled.atomic)
            (folder / "a" / "x").write_text("two")
            (folder / "run").unlink()
            (folder / "new").write_text("new")
            assert (view.root / "a" / "x").read_text() == "one"
            assert os.access(view.root / "run", os.X_OK)
            assert (view.root / "a" / "empty").is_dir()
            assert (view.root / "out").readlink() == Path("/etc/passwd")
            assert not (view.root / "new").exists()
        assert not view.root.exists()

    async def test_files_are_known_by_their_own_state(self, filled: Ground) -> None:
        own = (filled.folder / "a" / "x").stat()
        async with frozen(filled.folder, [filled.provider]) as view:
            assert view
            found = view.state("a/x", (view.root / "a" / "x").stat())
            assert found
            assert identity(found) == identity(own)
            assert found.st_dev == own.st_dev
            assert view.taken <= time.time_ns()

    async def test_what_a_killed_process_has_left_is_removed(self, filled: Ground) -> None:
        place = filled.folder / views.PLACE
        left = place / "view-left"
        left.mkdir(parents=True)
        taken = filled.provider.take(filled.folder, left)
        async with frozen(filled.folder, [filled.provider]):
            assert not left.exists()
            assert not taken.root.exists()

    async def test_the_view_of_a_living_process_stays(self, filled: Ground) -> None:
        place = filled.folder / views.PLACE
        other = place / "view-other"
        other.mkdir(parents=True)
        taken = filled.provider.take(filled.folder, other)
        lock = os.open(other, os.O_RDONLY)
        fcntl.flock(lock, fcntl.LOCK_EX)
        async with frozen(filled.folder, [filled.provider]) as view:
            assert view
            assert not (view.root / views.PLACE / "view-other" / taken.root.name).exists()
        assert (taken.root / "a" / "x").read_text() == "one"
        os.close(lock)
        async with frozen(filled.folder, [filled.provider]):
            assert not other.exists()


def _mount(folder: Path) -> Mount:
    found = views.mount_of(folder, views.mounts())
    assert found
    return found


@pytest.fixture(scope="module")
def btrfs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with disk("btrfs", tmp_path_factory.mktemp("disk")) as point:
        yield point


@pytest.fixture(scope="module")
def xfs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with disk("xfs", tmp_path_factory.mktemp("disk")) as point:
        yield point


def _within(point: Path, name: str) -> Path:
    """Return a new folder of a disk, one below its top."""
    folder = point / name / "it's work; $HOME"
    folder.mkdir(parents=True)
    return folder


@pytest.mark.rare
class TestBtrfs(FrozenContract):
    @pytest.fixture
    def ground(self, btrfs: Path, request: pytest.FixtureRequest) -> Ground:
        return Ground(_within(btrfs, request.node.name), Btrfs(Commands()), atomic=True)

    async def test_subvolumes_inside_are_not_forgotten(self, ground: Ground) -> None:
        inner = ground.folder / "inner"
        Commands().run(["btrfs", "subvolume", "create", str(inner)])
        (inner / "x").write_text("one")
        async with frozen(ground.folder, [ground.provider]) as view:
            assert view is None
        async with frozen(ground.folder, [ground.provider, Reflinks()]) as view:
            assert view
            assert (view.root / "inner" / "x").read_text() == "one"

    async def test_an_account_that_may_not_remove_makes_nothing(self, ground: Ground) -> None:
        commands = Refusing("delete")
        async with frozen(ground.folder, [Btrfs(commands)]) as view:
            assert view is None
        assert [words[2] for words in commands.ran] == ["create", "delete"]
        assert not (ground.folder / ".gpuquota").exists()


class Refusing(Commands):
    """The programs of this machine, of which one verb is refused."""

    def __init__(self, verb: str) -> None:
        self.ran: list[list[str]] = []
        self._verb = verb

    def run(self, words) -> str:
        self.ran.append(list(words))
        if words[2] == self._verb:
            raise Refused("Operation not permitted")
        return super().run(words)


@pytest.mark.rare
class TestReflinksOfXfs(FrozenContract):
    @pytest.fixture
    def ground(self, xfs: Path, request: pytest.FixtureRequest) -> Ground:
        return Ground(_within(xfs, request.node.name), Reflinks(), atomic=False)


@pytest.mark.rare
class TestReflinksOfBtrfs(FrozenContract):
    @pytest.fixture
    def ground(self, btrfs: Path, request: pytest.FixtureRequest) -> Ground:
        return Ground(_within(btrfs, f"r-{request.node.name}"), Reflinks(), atomic=False)


async def test_a_file_system_without_copies_is_read_in_place(tmp_path: Path) -> None:
    """The copy itself is tried: the name of a file system proves nothing."""
    place = tmp_path / "place"
    place.mkdir()
    provider = Reflinks()
    mount = _mount(tmp_path)
    if mount.kind not in {"ext4", "tmpfs", "overlay"}:
        pytest.skip(f"{mount.kind} may have such copies")
    with pytest.raises(Refused):
        provider.take(tmp_path, place)


async def test_a_link_in_the_place_of_views_is_not_followed(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / ".gpuquota").symlink_to(elsewhere)
    async with frozen(folder, [AnyCopy()]) as view:
        assert view is None
    assert not list(elsewhere.iterdir())


class PlainCopies(Reflinks):
    """Copies files where they cannot share their blocks."""

    def offers(self, mount: Mount) -> bool:
        return True

    def _copy(self, source: os.PathLike[str], target: Path) -> os.stat_result | None:
        target.write_bytes(Path(source).read_bytes())
        return Path(source).lstat()


async def test_what_is_left_out_is_not_copied_and_still_named(tmp_path: Path) -> None:
    folder, room = tmp_path / "folder", tmp_path / "room"
    room.mkdir()
    put(folder, {"a.txt": "", ".cache/x": "", ".venv/pyvenv.cfg": "", ".gpuquota/hooks/x": ""})
    put(folder, {".gpuquotaignore": ".*\n"})
    excluded = Exclusion(folder)
    provider = PlainCopies(lambda path: excluded.why(path, FOLDER))
    async with frozen(folder, [provider]) as view:
        assert view
        assert sorted(each.name for each in view.root.iterdir()) == [
            ".gpuquota",
            ".gpuquotaignore",
            "a.txt",
        ]
        source = SessionFolder(folder, room, view=view)
        stored = [each.path async for batch in source.batches() for each in batch]
    assert stored == [".gpuquota/hooks/x", "a.txt"]
    assert source.left_out == dict.fromkeys(
        [".cache", ".gpuquotaignore", ".venv"], "Excluded by .*"
    )


class AnyCopy(Reflinks):
    """Takes views of any file system, which it does not read."""

    def offers(self, mount: Mount) -> bool:
        return True

    def take(self, folder: Path, place: Path) -> views.View:
        (place / "files").mkdir()
        return views.View(root=place / "files", provider="any", atomic=False, device=0)
