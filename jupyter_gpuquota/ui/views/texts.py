"""Answers that are text."""

from __future__ import annotations

from collections.abc import Mapping

from ...model.programs import ExecResult
from ...model.sessions import LogChunk
from .base import Row, View
from .markup import Markup, join, tag


class LogView(View[LogChunk]):
    """Show what a session has printed."""

    @property
    def text(self) -> str:
        """Return it as it was printed."""
        return self.data.text.removesuffix("\n")

    @property
    def body(self) -> Markup:
        """Return it in a box that scrolls."""
        return tag("pre", self.text, tabindex=0, aria_label="Log")

    @property
    def records(self) -> list[Row]:
        """Return a row for each line."""
        return [{"line": line} for line in self.data.text.splitlines()]


class ExecView(View[ExecResult]):
    """Show what a program inside a session has printed, and how it ended."""

    def __init__(self, data: ExecResult) -> None:
        super().__init__(data, exit_code=124 if data.timed_out else data.exit_code)

    @property
    def failure(self) -> str:
        """Say how it ended."""
        return self._end()

    @property
    def text(self) -> str:
        """Return its output."""
        return "\n".join(
            part for part in (self.data.output.removesuffix("\n"), self._end()) if part
        )

    @property
    def body(self) -> Markup:
        """Return its output in a box that scrolls."""
        shown = tag("pre", self.data.output, tabindex=0, aria_label="Output")
        end = self._end()
        return join(shown, tag("p", end, class_="gpuquota-bad") if end else Markup())

    @property
    def records(self) -> list[Row]:
        """Return a row for each line."""
        return [{"line": line} for line in self.data.output.splitlines()]

    def _end(self) -> str:
        parts = ["(output cut short)"] if self.data.truncated else []
        if self.data.timed_out:
            parts.append("It ran out of time and was ended.")
        elif self.data.exit_code:
            parts.append(f"It ended with exit code {self.data.exit_code}.")
        return " ".join(parts)


class StreamedView(ExecView):
    """The result of a program whose output was shown while it ran."""

    @property
    def text(self) -> str:
        """Return what was not shown yet: how it ended."""
        return self.failure

    def _ipython_display_(self) -> None:
        pass  # all was shown already


class TextView(View[Mapping[str, str]]):
    """Show one thing, said in words; `data` has its parts."""

    def __init__(self, data: Mapping[str, str], text: str, *, html: Markup | None = None) -> None:
        super().__init__(data)
        self._text = text
        self._html = html

    @property
    def text(self) -> str:
        """Return the words."""
        return self._text

    @property
    def body(self) -> Markup:
        """Return the words as they stand."""
        return self._html or tag("pre", self._text)

    @property
    def records(self) -> list[Row]:
        """Return the parts as the one row."""
        return [dict(self.data)]
