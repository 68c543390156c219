"""Texts that cannot be sent, and what is said about them."""

from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_gpuquota.client.connection.texts import locale_fault, travelling, utf8
from jupyter_gpuquota.errors import InvalidFields

NAMES = st.text(st.characters(exclude_categories=["Cs"]))


def test_bytes_that_are_not_utf8_are_a_fault_of_the_name():
    with pytest.raises(InvalidFields) as caught, travelling({"folder": "/b\udcfcro"}):
        "/b\udcfcro".encode()
    [problem] = caught.value.fields
    assert problem.field == "folder"
    assert "is not UTF-8" in problem.message
    assert "Rename" in problem.hint


@pytest.mark.parametrize(
    ("environ", "setting"),
    [
        ({"LC_ALL": "C", "LANG": "de_DE.UTF-8"}, "LC_ALL=C"),
        ({"LC_ALL": "", "LC_CTYPE": "POSIX", "LANG": "de_DE.UTF-8"}, "LC_CTYPE=POSIX"),
        ({"LANG": "C"}, "LANG=C"),
        ({}, "LANG="),
    ],
)
def test_a_name_that_the_locale_cannot_hold_is_a_fault_of_the_locale(environ, setting):
    said = locale_fault("/home/m\udcc3\udcbcller", "ascii", environ)
    assert said == f"/home/müller cannot be read in this program's locale ({setting}, ascii)."


@given(NAMES)
def test_every_name_that_is_utf8_is_told_from_one_that_is_not(name):
    read = name.encode().decode("ascii", "surrogateescape")
    assert name in locale_fault(read, "ascii", {})
    assert locale_fault(f"{read}\udcff", "ascii", {}) == ""
    assert locale_fault(read, "utf-8", {}) == ""
    assert utf8(os.fsdecode(name.encode())) == name
