"""Durations as people write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_gpuquota.core.fields import FieldReader
from jupyter_gpuquota.model.spans import LONGEST, parse_span, write_span

HOUR = 3600
NAMES = {
    86_400: ("d", "D", "day", "days"),
    HOUR: ("h", "hr", "hrs", "hour", "Hours"),
    60: ("m", "min", "mins", "minute", "minutes"),
    1: ("s", "sec", "secs", "second", "seconds"),
}


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("90", 90),
        (90, 90),
        ("0", 0),
        ("1 hour", HOUR),
        ("2 h", 2 * HOUR),
        ("3d", 72 * HOUR),
        ("1.5 hours", 5400),
        ("1h30m", 5400),
        (" 1 hour and 30 minutes ", 5400),
        ("1 hour, 30 min", 5400),
        ("0.1 s", 1),
        ("0.0h", 0),
    ],
)
def test_a_duration_is_read_as_people_write_it(text: str | int, seconds: int) -> None:
    assert parse_span(text) == seconds


@pytest.mark.parametrize(
    "text",
    ["", "soon", "h", "-1h", "1h30", "30m1h", "1 month", "1h and", "1h,", "and 1h", "1,5h", "1 1h"],
)
def test_what_is_ambiguous_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is not a duration"):
        parse_span(text)


@given(st.integers(0, LONGEST))
def test_what_is_written_is_read(seconds: int) -> None:
    assert parse_span(write_span(seconds)) == seconds


@given(st.data())
def test_units_in_words_are_those_in_letters(data: st.DataObject) -> None:
    sizes = data.draw(st.sets(st.sampled_from(sorted(NAMES)), min_size=1))
    seconds, parts = 0, []
    for size in sorted(sizes, reverse=True):
        count = data.draw(st.integers(0, 9999))
        gap, name = (data.draw(st.sampled_from(found)) for found in (("", " "), NAMES[size]))
        seconds += count * size
        parts.append(f"{count}{gap}{name}")
    between = data.draw(st.sampled_from((" ", ", ", " and ")))
    assert parse_span(between.join(parts)) == seconds


@given(st.text())
def test_any_text_is_a_duration_or_a_problem_of_its_field(text: str) -> None:
    reader = FieldReader()
    seconds = reader.duration("timeout", text, "never")
    assert 0 <= seconds <= LONGEST
    assert {error.field for error in reader.errors} <= {"timeout"}
