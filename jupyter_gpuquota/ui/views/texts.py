"""Answers of plain text."""

from __future__ import annotations

from collections.abc import Mapping

from ...model.programs import ExecResult
from ...model.sessions import LogChunk
from .markup import Markup, join, tag
from .view import Row, View


class LogView(View[LogChunk]):
    """The log of a session."""

    @property
    def text(self) -> str:
        """Return the log unchanged."""
        return self.data.text.removesuffix("\n")

    @property
    def body(self) -> Markup:
        """Return the log in a scrolling box."""
        return tag("pre", self.text, tabindex=0, aria_label="Log")

    @property
    def records(self) -> list[Row]:
        """Return a row for each line."""
        return [{"line": line} for line in self.data.text.splitlines()]


class ExecView(View[ExecResult]):
    """The output and the exit code of a program inside a session."""

    def __init__(self, data: ExecResult) -> None:
        super().__init__(data, exit_code=124 if data.timed_out else data.exit_code)

    @property
    def failure(self) -> str:
        """Return how it ended."""
        return self._end()

    @property
    def text(self) -> str:
        """Return its output."""
        return "\n".join(
            part for part in (self.data.output.removesuffix("\n"), self._end()) if part
        )

    @property
    def body(self) -> Markup:
        """Return its output in a scrolling box."""
        shown = tag("pre", self.data.output, tabindex=0, aria_label="Output")
        end = self._end()
        return join(shown, tag("p", end, class_="gpuquota-bad") if end else Markup())

    @property
    def records(self) -> list[Row]:
        """Return a row for each line."""
        return [{"line": line} for line in self.data.output.splitlines()]

    def _end(self) -> str:
        parts = ["(output truncated)"] if self.data.truncated else []
        if self.data.timed_out:
            parts.append("Timed out.")
        elif self.data.exit_code:
            parts.append(f"Exit code {self.data.exit_code}.")
        return " ".join(parts)


class StreamedView(ExecView):
    """The result of a program whose output has been streamed."""

    @property
    def text(self) -> str:
        """Return how it ended."""
        return self.failure

    def _ipython_display_(self) -> None:
        pass  # the output has been shown already


class TextView(View[Mapping[str, str]]):
    """A short text; `data` has its values."""

    def __init__(self, data: Mapping[str, str], text: str, *, html: Markup | None = None) -> None:
        super().__init__(data)
        self._text = text
        self._html = html

    @property
    def text(self) -> str:
        """Return the text."""
        return self._text

    @property
    def body(self) -> Markup:
        """Return the text as it is."""
        return self._html or tag("pre", self._text)

    @property
    def records(self) -> list[Row]:
        """Return the values as one row."""
        return [dict(self.data)]
