"""`jupyter gpu` in locales and with streams that lack letters."""

from __future__ import annotations

import json

import pytest

from tests.shell import Shell

ASCII = {"LC_ALL": "C", "PYTHONUTF8": "0"}


def within(shell: Shell, **more: str) -> Shell:
    return Shell(shell.folder, {**shell.more, **more}, shell.python)


def test_arguments_are_utf8_whatever_the_locale(shell):
    words = ("submit", "x", "-e", "NAME=Jürgen", "--json", "--", "ü")
    ran = within(shell, **ASCII).apart(*words)
    assert ran.code == 0, ran
    made = json.loads(ran.out)["spec"]
    assert made["env"]["NAME"] == "Jürgen"
    assert made["command"] == ["ü"]
    shell("stop", "x")
    shell("delete", "x")


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "ascii:strict", "cp1252"])
def test_letters_that_a_stream_lacks_are_written_otherwise(shell, encoding):
    narrow = within(shell, PYTHONIOENCODING=encoding)
    name = "½ → müller"
    shell.ok("submit", "narrow", "-e", f"NAME={name}", "--wait", "--", "sleep", "600")
    try:
        with narrow.start("describe", "narrow", "--json") as process:
            out, _ = process.communicate()
        assert process.returncode == 0
        assert json.loads(out)["spec"]["env"]["NAME"] == name
        assert out.isascii()
    finally:
        shell("stop", "narrow")
        shell("delete", "narrow")
