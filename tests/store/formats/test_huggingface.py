"""Dataset repositories of Hugging Face on disk become versions."""

from __future__ import annotations

import hashlib
import os
import subprocess
from pathlib import Path

import pytest

from jupyter_gpuquota.errors import Damaged, NotFound
from jupyter_gpuquota.store.lake.objects import Objects
from tests.store.formats.conftest import Bring
from tests.store.living import DATASET, fetched, listing, log

pytestmark = pytest.mark.asyncio

FIRST, SECOND = "a" * 40, "b" * 40


def git_id(body: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(body) + body, usedforsecurity=False).hexdigest()


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """A repository in the cache of huggingface_hub 2.4, with two snapshots."""
    root = tmp_path / "datasets--team--digits"
    large = b"large" * 1000
    names = {b"read me\n": git_id(b"read me\n"), b"new\n": git_id(b"new\n")}
    names[large] = hashlib.sha256(large).hexdigest()
    (root / "blobs").mkdir(parents=True)
    for body, name in names.items():
        (root / "blobs" / name).write_bytes(body)
    snapshots = {
        FIRST: {"README.md": b"read me\n", "data/train.bin": large},
        SECOND: {"README.md": b"new\n", "data/train.bin": large},
    }
    for at, (commit, files) in enumerate(snapshots.items()):
        folder = root / "snapshots" / commit
        for path, body in files.items():
            link = folder / path
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(os.path.relpath(root / "blobs" / names[body], link.parent))
        os.utime(folder, (1000 + at, 1000 + at))
    (root / "refs").mkdir()
    (root / "refs" / "v1").write_text(FIRST)
    (root / "refs" / "main").write_text(SECOND)
    return root


async def test_all_snapshots_of_the_cache_are_imported(
    lake: Objects, bring_in: Bring, cache: Path, tmp_path: Path
) -> None:
    first, second = await bring_in(cache)
    assert [first.source, second.source] == [
        f"huggingface:datasets/team/digits@{FIRST}",
        f"huggingface:datasets/team/digits@{SECOND}",
    ]
    assert second.parents == (first.version,)
    assert first.time.timestamp() == 1000
    assert await log(lake).tags(DATASET) == {"v1": first.version}
    tree = await fetched(lake, second.version, tmp_path / "v")
    assert listing(tree) == listing(cache / "snapshots" / SECOND) | {
        "README.md": b"new\n",
        "data/train.bin": b"large" * 1000,
    }
    assert [each.version for each in await bring_in(cache)] == [second.version]
    assert len(await log(lake).commits(DATASET)) == 2, "the second import adds nothing"


@pytest.mark.parametrize("body", [b"read me\n", b"large" * 1000])
async def test_a_damaged_blob_is_named(bring_in: Bring, cache: Path, body: bytes) -> None:
    blob = next(path for path in (cache / "blobs").iterdir() if path.read_bytes() == body)
    blob.write_bytes(body.upper())
    with pytest.raises(Damaged, match="is not what"):
        await bring_in(cache)


async def test_an_incomplete_cache_is_told(bring_in: Bring, cache: Path) -> None:
    next((cache / "blobs").iterdir()).unlink()
    with pytest.raises(Damaged, match="incomplete"):
        await bring_in(cache)


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone made by Git, with a large file of which Git LFS has fetched the content."""
    root = tmp_path / "clone"
    (root / "data").mkdir(parents=True)
    large = b"large" * 1000
    sha256 = hashlib.sha256(large).hexdigest()
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{sha256}\nsize 5000\n"
    (root / "data" / "train.bin").write_text(pointer)
    (root / "README.md").write_text("read me\n")
    (root / "latest").symlink_to("README.md")
    (root / ".gitattributes").write_text("*.bin filter=lfs diff=lfs merge=lfs -text\n")
    git = [
        "git",
        "-c",
        "user.name=Li",
        "-c",
        "user.email=li@example.org",
        "-c",
        "filter.lfs.clean=cat",
    ]
    for words in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "-m", "digits"]):
        subprocess.run([*git, *words], cwd=root, check=True)
    subprocess.run(
        [*git, "remote", "add", "origin", "https://li:secret@huggingface.co/datasets/team/digits"],
        cwd=root,
        check=True,
    )
    stored = root / ".git" / "lfs" / "objects" / sha256[:2] / sha256[2:4] / sha256
    stored.parent.mkdir(parents=True)
    stored.write_bytes(large)
    return root


async def test_a_clone_is_imported(
    lake: Objects, bring_in: Bring, clone: Path, tmp_path: Path
) -> None:
    (commit,) = await bring_in(clone)
    assert (commit.author, commit.message) == ("Li", "digits")
    assert commit.source.startswith("huggingface:huggingface.co/datasets/team/digits@")
    assert listing(await fetched(lake, commit.version, tmp_path / "v")) == {
        ".gitattributes": (clone / ".gitattributes").read_bytes(),
        "README.md": b"read me\n",
        "data/train.bin": b"large" * 1000,
        "latest": "-> README.md",
    }


async def test_a_file_that_was_not_fetched_is_named(bring_in: Bring, clone: Path) -> None:
    next(path for path in (clone / ".git" / "lfs").rglob("*") if path.is_file()).unlink()
    with pytest.raises(NotFound, match=r"data/train\.bin is not on this machine"):
        await bring_in(clone)
