"""Modes of the files of a snapshot, as they are written and read."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_gpuquota.errors import Damaged
from jupyter_gpuquota.store import attributes
from tests.store.test_links import PATHS

KINDS = st.sampled_from([stat.S_IFREG, stat.S_IFDIR])


@given(st.lists(st.tuples(PATHS.map("/".join), KINDS, st.integers(0, 0o7777)), max_size=20))
def test_what_is_unusual_is_encoded_and_decoded(found: list[tuple[str, int, int]]) -> None:
    body = b"".join(attributes.mode_line(path, kind | mode) for path, kind, mode in found)
    usual = {(stat.S_IFREG, 0o644), (stat.S_IFREG, 0o755), (stat.S_IFDIR, 0o755)}
    wanted = [
        (path, mode & 0o777) for path, kind, mode in found if (kind, mode & 0o777) not in usual
    ]
    assert list(attributes.decode_modes(body)) == wanted[::-1]


@pytest.mark.parametrize(
    "body", [b"600 a", b"a\0", b" a\0", b"9 a\0", b"600\0", b"600 /a\0", b"600 ../a\0", b"-1 a\0"]
)
def test_what_is_malformed_is_told(body: bytes) -> None:
    with pytest.raises(Damaged):
        list(attributes.decode_modes(body))


def test_nothing_elsewhere_gets_a_mode(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "file").touch(mode=0o600)
    root = tmp_path / "root"
    root.mkdir()
    (root / "link").symlink_to("../elsewhere")
    for body in (b"777 link/file\0", b"777 link\0"):
        with pytest.raises(Damaged, match="link"):
            attributes.set_modes(root, body, 0)
    attributes.set_modes(root, b"777 gone\0", 0)
    assert stat.S_IMODE((tmp_path / "elsewhere" / "file").stat().st_mode) == 0o600
