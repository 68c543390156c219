"""One line of progress: redrawn in a terminal, repeated now and then elsewhere."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from typing import TextIO

from .views.markup import printable

_EVERY = 5.0
"""Seconds between two lines where a line cannot be redrawn."""


class ProgressLine:
    """A line that is shown again and again."""

    def __init__(
        self,
        out: TextIO,
        *,
        redraws: bool | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._out = out
        self._redraws = out.isatty() if redraws is None else redraws
        self._clock = clock
        self._shown = ""
        self._at = -_EVERY

    def show(self, line: str) -> None:
        """Show a line in place of the one before; an empty one ends it."""
        text = printable(line)
        if self._redraws:
            self._redraw(text)
        elif text and text != self._shown and self._clock() - self._at >= _EVERY:
            self._at = self._clock()
            self._out.write(f"{text}\n")
            self._shown = text
        self._out.flush()

    def _redraw(self, text: str) -> None:
        if not text:
            self._out.write("\n" if self._shown else "")
            self._shown = ""
            return
        clipped = text[: max(20, shutil.get_terminal_size().columns - 1)]
        # Spaces instead of an escape sequence: outputs of notebooks understand only the return.
        self._out.write(f"\r{clipped:<{len(self._shown)}}")
        self._shown = clipped
