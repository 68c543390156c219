"""Packs hold files one after the other, and their index says where."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_gpuquota.errors import Damaged
from jupyter_gpuquota.store import packs


@given(contents=st.lists(st.binary(max_size=30)), full=st.integers(1, 100))
def test_every_file_is_found_in_a_pack(contents: list[bytes], full: int) -> None:
    packer = packs.Packer(full)
    made = [packer.add(hashlib.sha256(each).hexdigest(), each) for each in contents]
    whole = [pack for pack in [*made, packer.finish()] if pack]
    found = []
    for pack in whole:
        assert hashlib.sha256(pack.body).hexdigest() == pack.sha256
        for held in packs.decode_index(packs.encode_index(pack.held)):
            content = pack.body[held.offset : held.offset + held.size]
            assert hashlib.sha256(content).hexdigest() == held.sha256
            found.append(content)
    assert found == contents
    assert all(len(pack.body) >= full for pack in whole[:-1])


def test_a_cut_index_is_refused() -> None:
    with pytest.raises(Damaged, match="cut"):
        list(packs.decode_index(b"x" * 47))
