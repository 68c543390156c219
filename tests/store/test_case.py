"""Paths that differ in case only: told where the file system cannot hold both."""

from __future__ import annotations

from pathlib import Path

import pytest

from jupyter_gpuquota.errors import InvalidFields
from jupyter_gpuquota.store import paths
from jupyter_gpuquota.store.fetch import ignores_case, refuse_clashes


def test_clashes_of_folders_are_found() -> None:
    found = paths.clashes(["Train/1", "test/1", "train/2", "test/2", "caf\u00e9", "cafe\u0301"])
    assert list(found) == [("Train", "train"), ("caf\u00e9", "cafe\u0301")]


def test_all_clashes_are_named() -> None:
    refuse_clashes(["a", "b", "c/d"])
    with pytest.raises(InvalidFields, match="ignores case") as raised:
        refuse_clashes(["A", "a", "c/D", "c/d"])
    assert [(each.field, each.message) for each in raised.value.fields] == [
        ("a", "It is the same as A."),
        ("c/d", "It is the same as c/D."),
    ]


def test_a_file_system_is_asked(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    assert ignores_case(tmp_path) == (tmp_path / "A").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
