"""Previews by the first bytes of files, whatever these are."""

from __future__ import annotations

import importlib
import sys

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from jupyter_gpuquota.control.datasets.files import previews
from jupyter_gpuquota.control.datasets.files.previews import CELL, ROWS, image_type, text_or_table


@given(st.text(max_size=50), st.binary(max_size=300), st.integers(0, 5))
@example("t.csv", b'"a\n', 1)
@example("t.csv", b"\xef\xbb\xbfa,b\r\n1,2\r\n", 0)
@example("t.tsv", b"", 5)
def test_any_file_has_a_preview(path: str, head: bytes, more: int) -> None:
    found = text_or_table(path, head, len(head) + more)
    assert found.kind in {"text", "table", "binary"}
    assert found.truncated >= (more > 0)
    assert found.media_type == ""


def test_a_character_that_is_cut_does_not_make_a_text_binary() -> None:
    head = "wörter".encode()[:2]
    assert text_or_table("a.txt", head, 7).text == "w"
    assert text_or_table("a.txt", head, 2).kind == "binary"


def test_a_table_has_its_first_rows_and_short_cells() -> None:
    lines = ["a,b"] + [f"{n},{'x' * 300}" for n in range(ROWS + 5)]
    found = text_or_table("a.csv", "\n".join(lines).encode(), 10**6)
    assert (found.kind, found.columns, len(found.rows)) == ("table", ("a", "b"), ROWS)
    assert found.truncated
    assert {len(row[1]) for row in found.rows} == {CELL}


def test_only_images_that_browsers_do_not_run_are_images() -> None:
    assert image_type(b"RIFF0000WEBPVP8 ") == "image/webp"
    assert image_type(b"GIF89a") == "image/gif"
    for active in (b"<svg xmlns=", b"<?xml version", b"<html>", b"%PDF-1.7", b"RIFF0000WAVE"):
        assert image_type(active) == ""


@pytest.mark.asyncio
async def test_a_parquet_table_says_what_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    body = b"PAR1" + b"?" * 50 + b"PAR1"

    async def read(offset: int, size: int) -> bytes:
        return body[offset : offset + size]

    found = await previews.preview(read, len(body), 5, 20)
    assert (found.kind, found.why[:30]) == ("binary", "It is not a Parquet table: Par")
    monkeypatch.setitem(sys.modules, "pyarrow", None)  # as if it were not installed
    found = await previews.preview(read, len(body), 5, 20)
    assert (found.kind, "pyarrow" in found.why) == ("none", True)


@pytest.mark.asyncio
async def test_the_head_of_a_parquet_table_is_read_by_ranges() -> None:
    pyarrow, pq = importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
    sink = pyarrow.BufferOutputStream()
    words = [str(number) * 60 for number in range(100_000)]
    pq.write_table(pyarrow.table({"n": list(range(100_000)), "word": words}), sink)
    body, count = sink.getvalue().to_pybytes(), 0

    async def read(offset: int, size: int) -> bytes:
        nonlocal count
        count += size
        return body[offset : offset + size]

    found = await previews.preview(read, len(body), 3, 20)
    assert (found.columns, [row[0] for row in found.rows]) == (("n", "word"), ["0", "1", "2"])
    assert found.truncated
    assert count < len(body)
