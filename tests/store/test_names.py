"""Any legal name is stored and comes back, on a real file system."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from jupyter_gpuquota.store import published
from jupyter_gpuquota.store.lake.connection import connect
from tests.store.living import fetched, listing, synced, verified

AWKWARD = [
    b"\n", b"\r\n", b" ", b"~", b"-rf", b"*", b"?", b"%2F", b"%", b"#", b"\\", b"'", b'"', b"$(x)",
    b"\xe9", b"\xff\xfe", b"caf\xc3\xa9", b"cafe\xcc\x81", b"\xe2\x80\xae", b"\x01", b"\x7f",
    b".hidden", b"...", b"con", b"COMPLETE", b"tree", b"a.part", b"A", b"a", b"x" * 255, b"&<>",
    b"\xf0\x9f\x98\x80", b"{}", b"[0]", b":", b"|", b"=", b"@", b"+", b",", b";", b"!", b"`",
]  # fmt: skip

names = st.one_of(
    st.sampled_from(AWKWARD),
    st.binary(min_size=1, max_size=20).filter(
        lambda name: not {0, ord("/")} & {*name} and name not in {b".", b".."}
    ),
)
trees = st.recursive(
    st.one_of(st.binary(max_size=5), st.just({})),
    lambda inner: st.dictionaries(names, inner, max_size=4),
    max_leaves=12,
).filter(lambda tree: isinstance(tree, dict))


def make(folder: bytes, tree: dict[bytes, object]) -> None:
    os.mkdir(folder)  # noqa: PTH102 (names are bytes)
    for name, inner in tree.items():
        path = folder + b"/" + name
        if isinstance(inner, dict):
            make(path, inner)
        else:
            with open(path, "wb") as file:  # noqa: PTH123 (names are bytes)
                file.write(inner)


@settings(max_examples=settings().max_examples // 8)
@given(trees)
def test_any_folder_comes_back(tree: dict[bytes, object]) -> None:
    with TemporaryDirectory() as home:
        make(os.fsencode(home) + b"/folder", tree)
        (Path(home) / "lake").mkdir()
        asyncio.run(there_and_back(Path(home)))
        published.remove(Path(home) / "cache")


async def there_and_back(home: Path) -> None:
    lake = connect(f"file://{home}/lake")
    commit = await synced(lake, home / "folder")
    tree = await fetched(lake, commit.version, home / "cache" / commit.version)
    assert listing(tree) == listing(home / "folder")
    assert await verified(lake, commit.version) == []
