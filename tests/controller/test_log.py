"""Permanent failures do not push everything else out of the log."""

from __future__ import annotations

import logging

from jupyter_gpuquota.controller.log import RepeatFilter


class Log:
    """A logger with the filter, whose clock a test moves."""

    def __init__(self) -> None:
        self.now = 0.0
        self.lines: list[str] = []
        self.log = logging.getLogger("tests.controller.sparing")
        self.log.setLevel(logging.INFO)
        handler = logging.Handler()
        handler.emit = lambda record: self.lines.append(record.getMessage())
        handler.addFilter(RepeatFilter(burst=3, seconds=60.0, clock=lambda: self.now))
        self.log.handlers = [handler]

    def fail(self, figure: int) -> None:
        try:
            int("no number")
        except ValueError:
            self.log.exception("attempt %d", figure)


def test_what_repeats_is_counted_and_the_rest_is_written() -> None:
    found = Log()
    for _ in range(1000):
        found.log.warning("it hurts")
    found.log.warning("it hurts elsewhere")
    assert found.lines == ["it hurts"] * 3 + ["it hurts elsewhere"]
    found.now = 61
    found.log.warning("it hurts")
    assert found.lines[-1] == "it hurts (997 similar messages omitted)"


def test_tracebacks_are_the_same_by_their_place() -> None:
    found = Log()
    for figure in range(10):
        found.fail(figure)
    assert found.lines == ["attempt 0", "attempt 1", "attempt 2"]


def test_what_is_no_trouble_is_always_written() -> None:
    found = Log()
    for _ in range(10):
        found.log.info("a session has started")
    assert len(found.lines) == 10


def test_of_many_kinds_only_the_recent_are_remembered() -> None:
    found = Log()
    for number in range(5000):
        found.log.warning("trouble %d", number)
    assert len(found.lines) == 5000
