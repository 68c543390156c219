"""What others have written does not control a terminal."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jupyter_gpuquota.ui.neutral import Neutral, neutral

COLOURS = re.compile(r"\x1b\[[0-9;:]*m|\x1b\[[0-2]?K")
CONTROLS = re.compile(r"[\x00-\x07\x0b\x0c\x0e-\x1f\x7f-\x9f]")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b]0;a title\alog\n", "log\n"),
        ("\x1b]52;c;ZXZpbA==\x1b\\log", "log"),
        ("\x1b]8;;https://example.com\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1bP+q544e\x1b\\log", "log"),
        ("\x1b_G a=T;AAAA\x1b\\\x1b^x\x1b\\\x1bXy\x1b\\log", "log"),
        ("\x1b[2J\x1b[Hlog", "log"),
        ("\x1b[6n\x1b[c\x1b[>c\x1b[?1049hlog", "log"),
        ("\x1bc\x1b7\x1b8\x1b(0\x1b#8log", "log"),
        ("\x9b2Jlog", "\N{REPLACEMENT CHARACTER}2Jlog"),
        ("\x9d0;title\x9clog", "\N{REPLACEMENT CHARACTER}0;title\N{REPLACEMENT CHARACTER}log"),
        ("\x1b]0;without end\nlog", "\N{SYMBOL FOR ESCAPE}]0;without end\nlog"),
        ("\x05\x0e\x00\x7f", "␅␎␀␡"),
        ("\x1b[31mred\x1b[0m \x1b[38;5;208mo\x1b[m", "\x1b[31mred\x1b[0m \x1b[38;5;208mo\x1b[m"),
        (" 10 %\r 50 %\r\x1b[K100 %\n", " 10 %\r 50 %\r\x1b[K100 %\n"),
        ("1/2\b\b\b2/2\tdone", "1/2\b\b\b2/2\tdone"),
        ("Größe 🚀 naïve", "Größe 🚀 naïve"),
    ],
)
def test_only_colours_and_progress_bars_stay(text: str, shown: str) -> None:
    assert neutral(text) == shown


PARTS = [
    "\x1b",
    "[",
    "]",
    "P",
    "0",
    ";",
    "m",
    "K",
    "J",
    "\a",
    "\\",
    "\n",
    "x",
    "\x9b",
    "(",
    "?",
    " ",
]


@given(st.lists(st.one_of(st.sampled_from(PARTS), st.characters())).map("".join))
def test_nothing_else_controls_a_terminal(text: str) -> None:
    left = COLOURS.sub("", neutral(text))
    assert not CONTROLS.search(left)


@given(st.lists(st.lists(st.sampled_from(PARTS)).map("".join)))
def test_pieces_are_as_neutral_as_the_whole(pieces: list[str]) -> None:
    shower = Neutral()
    shown = "".join(map(shower.feed, [*pieces, "\n"]))
    assert shown == neutral("".join(pieces) + "\n")


PRINTS = """
import sys
from types import SimpleNamespace
from jupyter_gpuquota.ui.command_line import Terminal
console = Terminal()
console.raw = {raw}
console.write("\\x1b]0;title\\a\\x1b[31mred\\x1b[0m")
console.write_bytes("é\\x1b]52;c;eA==".encode()[:1])
console.write_bytes("é\\x1b]52;c;eA==".encode()[1:])
console.write_bytes(b"\\a!\\n")
"""


def printed(*, raw: bool, terminal: bool) -> bytes:
    program = [sys.executable, "-c", PRINTS.format(raw=raw)]
    if not terminal:
        return subprocess.run(program, stdout=subprocess.PIPE, check=True).stdout
    ours, theirs = pty.openpty()
    try:
        subprocess.run(program, stdout=theirs, check=True)
        return os.read(ours, 4096).replace(b"\r\n", b"\n")
    finally:
        os.close(ours)
        os.close(theirs)


def test_a_terminal_gets_neutral_text_and_everything_else_gets_the_text() -> None:
    whole = b"\x1b]0;title\a\x1b[31mred\x1b[0m" + "é\x1b]52;c;eA==\a!\n".encode()
    assert printed(raw=False, terminal=True) == b"\x1b[31mred\x1b[0m" + "é!\n".encode()
    assert printed(raw=True, terminal=True) == whole
    assert printed(raw=False, terminal=False) == whole
