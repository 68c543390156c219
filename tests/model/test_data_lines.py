"""The lines of processes that work on datasets."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from jupyter_gpuquota.model.datasets.jobs import JobReport
from jupyter_gpuquota.model.datasets.lines import CacheIndex, Line, decode, encode

NOW = datetime(2026, 5, 4, tzinfo=UTC)


@pytest.mark.parametrize(
    "line",
    [
        Line(report=JobReport(kind="cache", dataset="mnist", state="running", done=3, size=9)),
        Line(index=CacheIndex(copies=0, free=1, total=2, read=NOW)),
    ],
)
def test_a_line_is_read_as_it_was_written(line: Line) -> None:
    text = encode(line)
    assert text.count(b"\n") == 1
    assert decode(text) == line


@pytest.mark.parametrize("text", [b"", b"Traceback", b"[1]", b'{"report": 1}', b"\xff"])
def test_other_lines_are_passed_over(text: bytes) -> None:
    assert decode(text) is None
