"""Logs are read by cursor across rotation, and never cut a character."""

from __future__ import annotations

import asyncio
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_gpuquota.errors import InvalidFields
from jupyter_gpuquota.local.sessions import logs
from jupyter_gpuquota.local.shim import files
from jupyter_gpuquota.model.sessions import LogChunk, LogQuery
from tests.contract.backend_contract import launch, until
from tests.local.conftest import folder_of

LINES = b"".join(b"%04d\n" % number for number in range(1000))


def write(folder: Path, data: bytes, limit: int = 1000, keep: int = 2) -> None:
    """Write as a session does, in small pieces, and rotate as its shim does."""
    for start in range(0, len(data), 150):
        with (folder / "log").open("ab") as log:
            log.write(data[start : start + 150])
        files.rotate(folder, limit, keep)


def test_an_empty_log_is_an_empty_answer(tmp_path):
    chunk = logs.chunk(tmp_path, LogQuery(), ended=False)
    assert chunk == LogChunk(text="", cursor="0", ended=False)


def test_offsets_count_from_the_first_byte_across_rotation(tmp_path):
    write(tmp_path, LINES)
    parts = logs.parts(tmp_path)
    assert len(parts) == 3
    assert all(a.end == b.start for a, b in pairwise(parts))
    assert logs.end_of(tmp_path) == len(LINES)
    data, begin = logs.read(tmp_path, 0, len(LINES))
    assert begin == parts[0].start
    assert data == LINES[begin:]


@pytest.mark.parametrize("keep", [0, 1, 5])
def test_as_many_old_files_are_kept_as_wanted(tmp_path, keep):
    write(tmp_path, LINES, keep=keep)
    old = [path for path in tmp_path.glob("log.*") if path.name != "log.base"]
    assert len(old) == min(keep, 4)
    assert logs.end_of(tmp_path) == len(LINES)


@given(offset=st.integers(0, 6000), limit=st.integers(1, 3000))
def test_any_part_is_what_was_written_there(tmp_path_factory, offset, limit):
    folder = tmp_path_factory.getbasetemp() / "rotated"
    if not folder.exists():
        folder.mkdir()
        write(folder, LINES)
    data, begin = logs.read(folder, offset, limit)
    assert len(data) <= limit
    assert data == LINES[begin : begin + len(data)]
    assert begin >= offset or begin == len(LINES)


@pytest.mark.parametrize("count", [1, 3, 250, 5000])
def test_the_last_lines(tmp_path, count):
    write(tmp_path, LINES)
    data, begin = logs.tail(tmp_path, count, logs.LIMIT)
    first = max(1000 - count, logs.parts(tmp_path)[0].start // 5)
    assert data == LINES[5 * first :]
    assert begin == 5 * first


def test_the_last_lines_of_a_run_do_not_reach_into_the_one_before(tmp_path):
    write(tmp_path, b"before\nafter\n")
    assert logs.last_lines(tmp_path, 20, 7) == ("after",)


def test_a_last_line_without_end_is_a_line(tmp_path):
    write(tmp_path, b"one\ntwo\nthree")
    assert logs.last_lines(tmp_path, 2, 0) == ("two", "three")


@pytest.mark.parametrize("limit", range(4, 12))
def test_no_character_is_cut(tmp_path, limit):
    text = "aé€😀" * 20
    write(tmp_path, text.encode())
    read, cursor = "", ""
    while True:
        chunk = logs.chunk(tmp_path, LogQuery(cursor=cursor, limit=limit), ended=True)
        assert not chunk.missed
        assert chunk.text
        read, cursor = read + chunk.text, chunk.cursor
        if chunk.ended:
            break
    assert read == text


@pytest.mark.parametrize("limit", range(4, 12))
def test_a_log_is_read_backwards_without_cutting_a_character(tmp_path, limit):
    text = "aé€😀" * 20
    write(tmp_path, text.encode())
    chunk = logs.chunk(tmp_path, LogQuery(tail=1, limit=limit), ended=True)
    read = chunk.text
    while chunk.earlier:
        chunk = logs.chunk(tmp_path, LogQuery(before=chunk.earlier, limit=limit), ended=True)
        assert chunk.text
        read = chunk.text + read
    assert read == text
    assert not chunk.missed


def test_a_reader_learns_that_lines_were_rotated_away(tmp_path):
    write(tmp_path, LINES)
    gone = logs.parts(tmp_path)[0].start
    first = logs.chunk(tmp_path, LogQuery(), ended=True)
    assert (first.missed, first.earlier) == (True, "")
    assert first.text == LINES[gone:].decode()
    late = logs.chunk(tmp_path, LogQuery(cursor=str(gone - 5), limit=5), ended=True)
    assert (late.missed, late.text) == (True, LINES[gone : gone + 5].decode())
    on = logs.chunk(tmp_path, LogQuery(cursor=late.cursor), ended=True)
    assert (on.missed, on.text) == (False, LINES[gone + 5 :].decode())


def test_going_back_ends_at_what_was_rotated_away(tmp_path):
    write(tmp_path, LINES)
    gone = logs.parts(tmp_path)[0].start
    last = logs.chunk(tmp_path, LogQuery(tail=10), ended=True)
    assert not last.missed
    before = logs.chunk(tmp_path, LogQuery(before=last.earlier), ended=True)
    assert (before.missed, before.earlier) == (True, "")
    assert before.text + last.text == LINES[gone:].decode()
    nothing = logs.chunk(tmp_path, LogQuery(before=str(gone - 5)), ended=True)
    assert (nothing.text, nothing.missed, nothing.earlier) == ("", True, "")


@pytest.mark.parametrize("field", ["cursor", "before"])
@pytest.mark.parametrize("cursor", ["x", "-1", "1.5", "9" * 5000, "\u0663"])
def test_a_cursor_that_cannot_be_read_is_refused_by_name(tmp_path, field, cursor):
    with pytest.raises(InvalidFields) as caught:
        logs.chunk(tmp_path, LogQuery(**{field: cursor}), ended=False)
    assert [problem.field for problem in caught.value.fields] == [field]


def test_a_character_that_is_being_written_is_waited_for(tmp_path):
    write(tmp_path, "x€".encode()[:-1])
    chunk = logs.chunk(tmp_path, LogQuery(), ended=False)
    assert (chunk.text, chunk.cursor) == ("x", "1")
    last = logs.chunk(tmp_path, LogQuery(), ended=True)
    assert (last.text, last.cursor, last.ended) == ("x\ufffd", "3", True)


def test_bytes_that_are_no_text_do_not_stop_the_reading(tmp_path):
    write(tmp_path, bytes(range(256)))
    chunk = logs.chunk(tmp_path, LogQuery(), ended=True)
    assert chunk.cursor == "256"


def test_a_rotation_that_was_interrupted_loses_and_doubles_nothing(tmp_path):
    (tmp_path / "log").write_bytes(LINES[:1000])
    (tmp_path / "log.0").write_bytes(LINES[:1000])
    (tmp_path / "log.base").write_text("0 1000")  # the copy is there, the log not emptied yet
    assert logs.read(tmp_path, 0, 5000) == (LINES[:1000], 0)
    (tmp_path / "log").write_bytes(LINES[1000:1010])  # emptied, and written to again
    assert logs.read(tmp_path, 0, 5000) == (LINES[:1010], 0)


@pytest.mark.asyncio
async def test_a_follower_sees_all_that_a_session_prints_while_it_is_rotated(make, settings):
    backend = await make(log_bytes=8192, log_files=50)
    program = (
        "import sys, time\n"
        "for i in range(3000):\n"
        "    print(f'line {i} é', flush=True)\n"
        "    if i % 100 == 0: time.sleep(0.1)\n"
    )
    session = await launch(backend, command=(sys.executable, "-c", program))
    text, cursor, ended = "", "", False
    while not ended:
        chunk = await backend.logs.read(session.id, LogQuery(cursor=cursor, limit=5000))
        assert not chunk.missed
        text, cursor, ended = text + chunk.text, chunk.cursor, chunk.ended
        await asyncio.sleep(0.01)
    await until(backend, session.id, "done")
    assert text.splitlines() == [f"line {i} é" for i in range(3000)]
    folder = folder_of(settings["home"], session.id).path
    assert len(logs.parts(folder)) > 1
