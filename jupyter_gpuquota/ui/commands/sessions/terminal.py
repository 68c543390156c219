"""This process's terminal becomes one inside a session that runs elsewhere."""

from __future__ import annotations

import codecs
import os
import shutil
import signal
import sys
import termios
import tty
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from queue import SimpleQueue
from threading import Thread
from typing import Protocol

from ....errors import GpuQuotaError
from ....model.programs import ExecResult

_BLOCK = 4096
_END_OF_INPUT = "\x04"

Size = tuple[int, int]


class Remote(Protocol):
    """A terminal inside a session."""

    result: ExecResult | None

    def __iter__(self) -> Iterator[str]:
        """Iterate over what it shows, to its end."""

    def write(self, text: str) -> None:
        """Type text."""

    def resize(self, columns: int, rows: int) -> None:
        """Set its size in characters."""


def size() -> Size:
    """Return the columns and rows of this terminal."""
    found = shutil.get_terminal_size()
    return found.columns, found.lines


def attach(remote: Remote) -> int:
    """Show a remote terminal here, and type there what is typed here; return its exit code."""
    typed: SimpleQueue[str | Size] = SimpleQueue()
    with ExitStack() as restored:
        if sys.stdin.isatty():
            restored.enter_context(_raw(sys.stdin.fileno()))
            restored.enter_context(_following_size(typed))
        for work in (_read, _send):
            Thread(target=work, args=(remote, typed), daemon=True).start()
        for text in remote:
            sys.stdout.write(text)
            sys.stdout.flush()
    return remote.result.exit_code if remote.result else 1


def _read(_: Remote, typed: SimpleQueue[str | Size]) -> None:
    """Queue what is typed; the end of piped input is that of a terminal's."""
    letters = codecs.getincrementaldecoder("utf-8")("replace")
    while data := os.read(sys.stdin.fileno(), _BLOCK):
        if text := letters.decode(data):
            typed.put(text)
    typed.put(_END_OF_INPUT)


def _send(remote: Remote, typed: SimpleQueue[str | Size]) -> None:
    """Send what is queued, in order; what was typed during a request goes with the next one."""
    with suppress(GpuQuotaError):  # it has ended, which the output shows
        while True:
            waiting = [typed.get()]
            while not typed.empty():
                waiting.append(typed.get())
            text = "".join(item for item in waiting if isinstance(item, str))
            sizes = [item for item in waiting if not isinstance(item, str)]
            if sizes:
                remote.resize(*sizes[-1])
            if text:
                remote.write(text)


@contextmanager
def _raw(number: int) -> Iterator[None]:
    """Pass every key on, also those that this terminal would act on."""
    before = termios.tcgetattr(number)
    tty.setraw(number)
    try:
        yield
    finally:
        termios.tcsetattr(number, termios.TCSADRAIN, before)


@contextmanager
def _following_size(typed: SimpleQueue[str | Size]) -> Iterator[None]:
    """Queue every new size of this terminal."""
    before = signal.signal(signal.SIGWINCH, lambda *_: typed.put(size()))
    try:
        yield
    finally:
        signal.signal(signal.SIGWINCH, before)
