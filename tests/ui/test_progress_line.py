"""One line of progress, in terminals and elsewhere."""

from __future__ import annotations

from io import StringIO

from jupyter_gpuquota.ui.progress_line import ProgressLine


def test_a_terminal_redraws_the_line_and_leaves_nothing_of_a_longer_one():
    out = StringIO()
    line = ProgressLine(out, redraws=True)
    line.show("10 of 20 files")
    line.show("20 files")
    line.show("")
    line.show("")
    assert out.getvalue() == "\r10 of 20 files\r20 files      \n"


def test_a_line_is_never_wider_than_the_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "30")
    out = StringIO()
    ProgressLine(out, redraws=True).show("x" * 100)
    assert out.getvalue() == "\r" + "x" * 29


def test_elsewhere_lines_come_now_and_then():
    out, now = StringIO(), [0.0]
    line = ProgressLine(out, clock=lambda: now[0])
    for at, text in ((0, "a"), (1, "b"), (6, "c"), (12, "c"), (18, "d")):
        now[0] = at
        line.show(text)
    line.show("")
    assert out.getvalue() == "a\nc\nd\n"


def test_names_cannot_control_the_terminal():
    out = StringIO()
    ProgressLine(out).show("a\x1b[2Jb")
    assert "\x1b" not in out.getvalue()
