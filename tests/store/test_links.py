"""Symbolic links that lead out of a folder are kept, and never followed."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_gpuquota.errors import Damaged
from jupyter_gpuquota.store import attributes

NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\0/"), min_size=1, max_size=9)
PATHS = st.lists(NAMES.filter(lambda name: name not in {".", ".."}), min_size=1, max_size=4)


@given(st.dictionaries(PATHS.map("/".join), NAMES))
def test_what_is_encoded_is_decoded(found: dict[str, str]) -> None:
    assert attributes.decode_links(attributes.encode_links(found)) == found


def test_names_that_are_not_utf8_are_kept() -> None:
    found = {"a\udce9": "/x/\udcff"}
    assert attributes.encode_links(found) == b"a\xe9\0/x/\xff\0"
    assert attributes.decode_links(attributes.encode_links(found)) == found


def made(root: Path, body: bytes) -> None:
    file = root.parent / "links"
    file.write_bytes(body)
    attributes.make_links(root, file)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    (root / "sub").mkdir(parents=True)
    (root / "file").write_text("mine")
    (tmp_path / "elsewhere").mkdir()
    return root


def test_links_are_made_also_in_folders_that_had_nothing_else(root: Path) -> None:
    made(root, b"a/b/c\0/etc/passwd\0sub/up\0../../elsewhere\0")
    assert (root / "a/b/c").readlink() == Path("/etc/passwd")
    assert (root / "sub/up").readlink() == Path("../../elsewhere")


@pytest.mark.parametrize(
    "body",
    [
        b"a\0",
        b"a\0b",
        b"a\0\0",
        b"/a\0b\0",
        b"../a\0b\0",
        b"a/../../b\0c\0",
        b"file\0/etc/passwd\0",
        b"sub\0/etc/passwd\0",
    ],
)
def test_a_list_that_was_tampered_with_is_refused(root: Path, body: bytes) -> None:
    with pytest.raises(Damaged):
        made(root, body)
    assert (root / "file").read_text() == "mine"


def test_nothing_is_made_through_a_link(root: Path) -> None:
    with pytest.raises(Damaged):
        made(root, b"out\0../elsewhere\0out/x\0/etc/passwd\0")
    assert not list((root.parent / "elsewhere").iterdir())
