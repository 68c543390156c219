"""Ends that people request: the words for them, and the reasons that people give."""

from __future__ import annotations

import pytest

from jupyter_gpuquota.core.end_requests import LONGEST, read_reason, requested
from jupyter_gpuquota.errors import InvalidFields
from jupyter_gpuquota.model.sessions import Goal


@pytest.mark.parametrize(
    ("goal", "who", "why", "said"),
    [
        ("stop", "", "", "Stopped on request."),
        ("stop", "", "It is done.", "Stopped on request: It is done."),
        ("stop", "root", "", "Stopped by root."),
        ("stop", "root", "dgx1-1 is needed.", "Stopped by root: dgx1-1 is needed."),
        ("suspend", "", "", "Suspended on request."),
        ("suspend", "root", "dgx1-1 is needed.", "Suspended by root: dgx1-1 is needed."),
    ],
)
def test_an_end_says_who_requested_it_and_why(goal: Goal, who: str, why: str, said: str) -> None:
    found = requested(goal, who, why)
    assert found.message == said
    assert found.hint == ("Resume starts it again." if goal == "suspend" else "")


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("", ""),
        (" \n ", ""),
        ("node dgx1-1\n  is needed ", "node dgx1-1 is needed."),
        ("Are you there?", "Are you there?"),
        ("{who} & <b>größer</b>", "{who} & <b>größer</b>."),
        ("x" * LONGEST, "x" * LONGEST + "."),
    ],
)
def test_a_reason_is_a_sentence_on_one_line(typed: str, read: str) -> None:
    assert read_reason(typed) == read
    assert read in requested("stop", "root", read).message


@pytest.mark.parametrize("typed", ["x" * (LONGEST + 1), "\x1b[31mred", "a\0b", "\u202eb", "\ud800"])
def test_a_reason_that_cannot_be_shown_is_refused(typed: str) -> None:
    with pytest.raises(InvalidFields) as caught:
        read_reason(typed)
    assert [field.field for field in caught.value.fields] == ["reason"]
