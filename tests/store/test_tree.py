"""A folder's entries, in the order of manifests."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from jupyter_gpuquota.store import manifest, paths
from jupyter_gpuquota.store.entries import EMPTY, EXECUTABLE, FOLDER, LINK, NOWHERE, Entry
from jupyter_gpuquota.store.tree import Found, walk

NAMES = st.binary(min_size=1, max_size=6).filter(
    lambda raw: not set(raw) & {0, ord("/")} and raw not in {b".", b".."}
)
TREES = st.recursive(
    st.just(None), lambda below: st.dictionaries(NAMES, below, max_size=4), max_leaves=20
).filter(lambda tree: tree is not None)


def make(folder: Path, tree: dict[bytes, object]) -> None:
    for name, below in tree.items():
        path = folder / os.fsdecode(name)
        if isinstance(below, dict):
            path.mkdir()
            make(path, below)
        else:
            path.touch()


def expected(tree: dict[bytes, object], prefix: bytes = b"") -> set[bytes]:
    """Return the paths of all files and of the empty folders."""
    found: set[bytes] = set()
    for name, below in tree.items():
        inner = expected(below, prefix + name + b"/") if isinstance(below, dict) else set()
        found |= inner or {prefix + name}
    return found


@settings(max_examples=settings().max_examples // 8)
@given(tree=TREES)
def test_a_folder_is_walked_in_the_order_of_manifests(tree: dict[bytes, object]) -> None:
    with TemporaryDirectory() as folder:
        make(Path(folder), tree)
        found = list(walk(folder))
    assert [paths.sort_key(each.path) for each in found] == sorted(expected(tree))
    assert not any(each.problem for each in found)
    entries = (Entry(f.path, f.mode, 0, "" if f.mode == FOLDER else EMPTY) for f in found)
    version, body = manifest.encode((entry, NOWHERE) for entry in entries)
    assert len(list(manifest.decode([body], version))) == len(found)


def test_kinds_and_links(tmp_path: Path) -> None:
    (tmp_path / "run.sh").touch(0o755)
    (tmp_path / ".hidden").touch()
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "up").symlink_to("../run.sh")
    (tmp_path / "folder").symlink_to("sub")
    (tmp_path / "out").symlink_to("/etc")
    with socket.socket(socket.AF_UNIX) as pipe:
        pipe.bind(str(tmp_path / "socket"))
    found = {each.path: each for each in walk(str(tmp_path))}
    assert list(found) == [".hidden", "folder", "out", "run.sh", "socket", "sub/up"]
    assert found["run.sh"].mode == EXECUTABLE
    assert (found["sub/up"].mode, found["sub/up"].target) == (LINK, "../run.sh")
    assert found["folder"].mode == LINK
    assert "absolute" in found["out"].problem
    assert "neither" in found["socket"].problem


def test_a_folder_that_is_gone_is_a_problem(tmp_path: Path) -> None:
    assert list(walk(str(tmp_path / "gone"))) == [
        Found(".", FOLDER, problem="No such file or directory")
    ]


@given(tree=TREES, left=st.sets(NAMES, max_size=4))
def test_what_is_left_out_is_passed_over_with_all_below_it(tree, left):
    """The others keep their order, and no folder becomes empty by it."""
    names = {os.fsdecode(name) for name in left}

    def is_left(path: str) -> bool:
        return bool(names.intersection(path.split("/")))

    with TemporaryDirectory() as folder:
        make(Path(folder), tree)
        everything = [each.path for each in walk(folder)]
        found = [each.path for each in walk(folder, lambda each: is_left(each.path))]
    assert found == [path for path in everything if not is_left(path)]
