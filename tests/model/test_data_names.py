"""How data is named, and how names of files travel and are shown."""

from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_gpuquota.errors import InvalidFields
from jupyter_gpuquota.model.datasets.names import (
    DataName,
    parse_name,
    received_path,
    shown_path,
    travelling_path,
)

PATHS = st.binary(min_size=1).map(os.fsdecode)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("digits", DataName("digits")),
        ("digits@v1", DataName("digits", "v1")),
        ("digits@3fa9:train/a b.png", DataName("digits", "3fa9", "train/a b.png")),
        ("digits:/train//x/", DataName("digits", "", "train/x")),
        ("digits@v1:.", DataName("digits", "v1")),
        ("digits@v1:odd@name:2", DataName("digits", "v1", "odd@name:2")),
        ("digits@v1:new\nline", DataName("digits", "v1", "new\nline")),
    ],
)
def test_names(text: str, named: DataName) -> None:
    assert parse_name(text) == named


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("", ["dataset"]),
        ("../x", ["dataset"]),
        ("digits@", ["version"]),
        ("a/b@../c:../d", ["dataset", "version", "path"]),
        ("digits@v1@v2", ["version"]),
        ("digits@v1:a/../../b", ["path"]),
    ],
)
def test_all_that_is_wrong_is_reported_at_once(text: str, fields: list[str]) -> None:
    with pytest.raises(InvalidFields) as caught:
        parse_name(text)
    assert [problem.field for problem in caught.value.fields] == fields


@given(PATHS)
def test_any_path_travels(path: str) -> None:
    sent, raw = travelling_path(path)
    sent.encode()
    assert received_path(sent, raw=raw) == path


@given(PATHS)
def test_any_path_is_shown_as_one_printable_line(path: str) -> None:
    assert shown_path(path).isprintable()


@given(PATHS, PATHS)
def test_two_paths_are_never_shown_alike(one: str, other: str) -> None:
    assert (shown_path(one) == shown_path(other)) == (one == other)


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("a\nb\x1b[31m", r"a\nb\x1b[31m"),
        (os.fsdecode(b"caf\xe9\x9b"), r"caf\xe9\x9b"),
        ("\x9b1m", r"\u009b1m"),
        ("a\\n", r"a\\n"),
        ("exe\u202egnp.sh", r"exe\u202egnp.sh"),
        ("😀 ü", "😀 ü"),
    ],
)
def test_what_a_terminal_would_not_print_is_escaped(path: str, shown: str) -> None:
    assert shown_path(path) == shown


def test_what_is_not_base64_is_refused() -> None:
    with pytest.raises(InvalidFields):
        received_path("???", raw=True)
