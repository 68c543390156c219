"""The outcome of a request, in advance."""

from __future__ import annotations

from ...model.previews import Preview
from ...model.struct import FieldProblem
from .markup import Markup, join, printable, tag
from .sessions import isolation_text
from .view import Row, View, pairs_html, pairs_text

FORBIDDEN = 2
"""The exit code of a forbidden request, the same as of the request itself."""


class PreviewView(View[Preview]):
    """What would happen to a request."""

    def __init__(self, data: Preview) -> None:
        super().__init__(data, exit_code=FORBIDDEN if data.verdict == "forbidden" else 0)

    @property
    def failure(self) -> str:
        """Return the rules that forbid it."""
        return self.text

    @property
    def text(self) -> str:
        """Return the outcome, then reasons and problems."""
        return "\n".join(filter(None, [printable(self.data.message), pairs_text(self._pairs)]))

    @property
    def body(self) -> Markup:
        """Return the same as HTML."""
        details = pairs_html(self._pairs, "Details") if self._pairs else Markup()
        return join(tag("p", self.data.message), details)

    @property
    def records(self) -> list[Row]:
        """Return one row."""
        nearest = self.data.nearest
        return [
            {
                "verdict": self.data.verdict,
                "message": self.data.message,
                "queue_position": self.data.queue_position,
                "nearest": nearest.text if nearest else "",
            }
        ]

    @property
    def _pairs(self) -> list[tuple[str, str]]:
        preview = self.data
        problems = [(p.field, _without(preview.message, p)) for p in preview.problems]
        pairs = [
            ("hint", preview.reason.hint if preview.reason else ""),
            ("isolation", isolation_text(preview.isolation) if preview.isolation else ""),
            *((each.label, each.message) for each in preview.places),
            *problems,
        ]
        return [(name, value) for name, value in pairs if value]


def _without(message: str, problem: FieldProblem) -> str:
    """Return the text of a problem without what the message says already."""
    known = problem.message in message
    return problem.hint if known else f"{problem.message} {problem.hint}".strip()
