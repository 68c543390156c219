"""What a lake holds, remembered on this machine."""

from __future__ import annotations

import hashlib
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from jupyter_gpuquota.store.catalog import Catalog, identity
from jupyter_gpuquota.store.packs import Held


@pytest.mark.parametrize("path", [":memory:", "catalog.sqlite"])
def test_threads_of_one_process_change_it_at_once(tmp_path: Path, path: str) -> None:
    catalog = Catalog(path if path == ":memory:" else tmp_path / path)
    together = Barrier(4)

    def add(thread: int) -> None:
        together.wait()
        for number in range(50):
            with catalog.batch():
                catalog.add_pack(_hash(f"pack {thread} {number}"), [_held(thread, number)])

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(add, range(4)))
    assert len(catalog.packs()) == 200
    catalog.close()


def test_a_batch_that_fails_changes_nothing() -> None:
    catalog = Catalog(":memory:")
    with pytest.raises(ValueError, match="hexadecimal"):
        _add(catalog, [_held(0, 0), Held("no hash", 3, 3)])
    assert catalog.packs() == set()
    _add(catalog, [_held(0, 0)])
    assert catalog.packs() == {_hash("pack")}
    catalog.close()


def _add(catalog: Catalog, held: list[Held]) -> None:
    with catalog.batch():
        catalog.add_pack(_hash("pack"), held)


def _held(thread: int, number: int) -> Held:
    return Held(_hash(f"file {thread} {number}"), 0, 3)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def test_a_file_without_keys_is_known_until_it_changes(tmp_path: Path) -> None:
    catalog = Catalog(":memory:")
    old, new = tmp_path / "old", tmp_path / "new"
    for path in (old, new):
        path.write_text("plain")
    long_ago = _state(old, modified=0)
    catalog.remember_plain([long_ago, new.stat()])
    assert catalog.plain([long_ago, new.stat()]) == {identity(long_ago)}, "times are coarse"
    assert catalog.plain([_state(old, modified=1)]) == set()
    catalog.close()


def _state(path: Path, *, modified: int) -> os.stat_result:
    """Return the state of a file as if it had been modified long ago."""
    stats = path.stat()
    times = {"st_mtime_ns": modified, "st_ctime_ns": modified}
    return os.stat_result(tuple(stats), {"st_size": stats.st_size, **times})
