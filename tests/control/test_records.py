"""Stored records are read, whatever became of their bytes."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_gpuquota.control.storage.records import Record, read_record


class _Stored(msgspec.Struct):
    size: int


def read(data: bytes) -> Record[_Stored]:
    return read_record(data, lambda body: msgspec.json.decode(body, type=_Stored))


def test_a_record_is_read() -> None:
    assert read(b'{"size":1}').value == _Stored(1)


def test_an_object_of_another_shape_is_newer() -> None:
    record = read(b'{"length":1}')
    assert (record.newer, record.damaged) == (True, False)


@pytest.mark.parametrize("data", [b"", b"5", b"5\xb7", b"5 more", b'{"size":"1"} more', b"\xff"])
def test_anything_else_is_damaged(data: bytes) -> None:
    record = read(data)
    assert (record.newer, record.damaged) == (False, True)


@given(data=st.binary(max_size=20))
def test_no_bytes_raise(data: bytes) -> None:
    record = read(data)
    assert (record.value is None) == bool(record.problem)
