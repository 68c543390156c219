"""A cache in a folder, and versions in a lake to fetch into it."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from jupyter_gpuquota.store.cache.places import Place, place
from jupyter_gpuquota.store.catalog import Catalog
from jupyter_gpuquota.store.lake.objects import Objects
from jupyter_gpuquota.store.upload import Upload
from tests.store.conftest import folder, lake, large

__all__ = ["folder", "lake", "large"]

Store = Callable[..., Awaitable[Place]]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture
def store(lake: Objects, root: Path) -> Store:
    """Store a folder as a version of a dataset, and return its place in the cache."""
    catalog = Catalog(":memory:")

    async def run(folder: Path, dataset: str = "faces") -> Place:
        uploaded = await Upload(lake, catalog, lambda _: None).run(folder)
        return place(root, dataset, uploaded.version)

    return run


def flip(path: Path) -> None:
    """Flip one bit of a read-only file, as a failing disk does."""
    times, mode = path.stat(), path.stat().st_mode & 0o777
    path.chmod(0o644)
    body = bytearray(path.read_bytes())
    body[0] ^= 1
    path.write_bytes(bytes(body))
    path.chmod(mode)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
