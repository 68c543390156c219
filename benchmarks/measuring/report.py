"""Tables of figures, and verdicts on targets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from .timing import Sample


@dataclass(frozen=True)
class Verdict:
    """Whether a target was met; `figure` and `target` are formatted text."""

    what: str
    figure: str
    target: str
    met: bool

    def __str__(self) -> str:
        """Return one line of text."""
        word = "pass" if self.met else "MISS"
        return f"{word}  {self.what}: {self.figure} (target {self.target})"


@dataclass
class Table:
    """Rows of text under a title; the first column names a side."""

    title: str
    columns: Sequence[str]
    rows: list[tuple[str, ...]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def add(self, *cells: str) -> None:
        """Add one row."""
        self.rows.append(cells)

    def note(self, text: str) -> None:
        """Add a sentence below the rows."""
        self.notes.append(text)

    def __str__(self) -> str:
        """Align the columns: names to the left, figures to the right."""
        lines = [tuple(self.columns), *self.rows]
        widths = [max(len(line[column]) for line in lines) for column in range(len(self.columns))]
        drawn = [_line(line, widths) for line in lines]
        drawn.insert(1, "  ".join("─" * width for width in widths))
        return "\n".join([self.title, *(f"  {line}" for line in [*drawn, *self.notes])])


def _line(cells: tuple[str, ...], widths: Sequence[int]) -> str:
    name, *figures = cells
    aligned = [text.rjust(width) for text, width in zip(figures, widths[1:], strict=True)]
    return "  ".join([name.ljust(widths[0]), *aligned]).rstrip()


@dataclass
class Report:
    """The results of one section."""

    tables: list[Table] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)

    def table(self, title: str, *columns: str) -> Table:
        """Add a table and return it."""
        made = Table(title, columns)
        self.tables.append(made)
        return made

    def judge(self, what: str, figure: str, target: str, *, met: bool) -> None:
        """Add a verdict on a target."""
        self.verdicts.append(Verdict(what, figure, target, met))


def ms(seconds: float, digits: int = 0) -> str:
    """Format seconds as milliseconds."""
    return f"{seconds * 1000:.{digits}f} ms"


def signed_ms(seconds: float, digits: int = 0) -> str:
    """Format a difference in seconds as signed milliseconds."""
    return f"{seconds * 1000:+.{digits}f} ms"


def mb(count: float, digits: int = 1) -> str:
    """Format bytes as megabytes (of a million)."""
    return f"{count / 1e6:.{digits}f} MB"


def signed_mb(count: float, digits: int = 1) -> str:
    """Format a difference in bytes as signed megabytes."""
    return f"{count / 1e6:+.{digits}f} MB"


def half_ms(sample: Sample, digits: int = 0) -> str:
    """Format the interquartile range of a sample of seconds."""
    low, high = (value * 1000 for value in sample.middle_half)
    return f"{low:.{digits}f} to {high:.{digits}f} ms"


def half_mb(sample: Sample, digits: int = 1) -> str:
    """Format the interquartile range of a sample of bytes."""
    low, high = (value / 1e6 for value in sample.middle_half)
    return f"{low:.{digits}f} to {high:.{digits}f} MB"
