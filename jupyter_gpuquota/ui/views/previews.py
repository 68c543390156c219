"""What would happen to a request."""

from __future__ import annotations

from ...model.previews import Preview
from .base import Row, View, pairs_html, pairs_text
from .markup import Markup
from .sessions import isolation_text

FORBIDDEN = 2
"""The shell's exit code, the same as that of the request itself."""


class PreviewView(View[Preview]):
    """Show a verdict, and why."""

    def __init__(self, data: Preview) -> None:
        super().__init__(data, exit_code=FORBIDDEN if data.verdict == "forbidden" else 0)

    @property
    def failure(self) -> str:
        """Say which rules forbid it."""
        return self.text

    @property
    def text(self) -> str:
        """Return a line for each thing that is known."""
        return pairs_text(self._pairs)

    @property
    def body(self) -> Markup:
        """Return the same as a table."""
        return pairs_html(self._pairs, "What would happen")

    @property
    def records(self) -> list[Row]:
        """Return one row."""
        nearest = self.data.nearest
        return [
            {
                "verdict": self.data.verdict,
                "message": self.data.message,
                "place in line": self.data.place_in_line,
                "nearest": nearest.text if nearest else "",
            }
        ]

    @property
    def _pairs(self) -> list[tuple[str, str]]:
        found = self.data
        problems = [(p.field, f"{p.message} {p.hint}".strip()) for p in found.problems]
        return [
            ("verdict", found.verdict),
            ("why", found.message),
            ("hint", found.reason.hint if found.reason else ""),
            ("isolation", isolation_text(found.isolation) if found.isolation else ""),
            *problems,
        ]
