"""Files that are on this machine already."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from jupyter_gpuquota.store.cache.reuse import copy
from jupyter_gpuquota.store.entries import FILE, Entry
from tests.store.cache.conftest import flip

BODY = bytes(100_000) + b"some" * 50_000


def test_a_copy_is_what_the_version_says_or_is_not_made(tmp_path: Path) -> None:
    source, target = tmp_path / "source", tmp_path / "target"
    source.write_bytes(BODY)
    entry = Entry(path="source", mode=FILE, size=len(BODY), sha256=sha256(BODY).hexdigest())
    assert copy(source, target, entry, 0o640)
    assert (target.read_bytes(), target.stat().st_mode & 0o777) == (BODY, 0o640)
    target.unlink()
    flip(source)
    assert not copy(source, target, entry, 0o640)
    source.unlink()
    assert not copy(source, target, entry, 0o640)
    assert list(tmp_path.iterdir()) == []
