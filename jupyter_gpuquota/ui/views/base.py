"""The base of all views, and tables in text and HTML."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ...errors import Unsupported
from .markup import STYLE, Markup, join, printable, tag

if TYPE_CHECKING:
    import pandas as pd

T = TypeVar("T")
Row = dict[str, Any]

# On each cell: JupyterLab aligns tables to the right, and takes our style sheet out of outputs
# that it does not trust.
_LEFT = "text-align: left"
_ABBREVIATIONS = frozenset({"GPU", "GPUs", "URL"})


class View(Generic[T]):
    """Show what a command answered.

    `data` is the model; `document` what `--json` prints; `df` a pandas DataFrame. `exit_code` is
    the shell's.
    """

    def __init__(self, data: T, *, exit_code: int = 0) -> None:
        self.data = data
        self.exit_code = exit_code

    @property
    def document(self) -> Any:
        """Return what stands on the wire."""
        return self.data

    @property
    def text(self) -> str:
        """Return lines of plain text."""
        raise NotImplementedError

    @property
    def body(self) -> Markup:
        """Return HTML without its frame."""
        raise NotImplementedError

    @property
    def records(self) -> list[Row]:
        """Return the rows of the table, with plain values."""
        raise NotImplementedError

    @property
    def failure(self) -> str:
        """Say why `exit_code` is not 0."""
        return f"The command ended with exit code {self.exit_code}."

    @property
    def html(self) -> Markup:
        """Return HTML that stands by itself."""
        return tag("div", STYLE, self.body, class_="gpuquota-view")

    @property
    def df(self) -> pd.DataFrame:
        """Return the table as a pandas DataFrame. Raises Unsupported if pandas is missing."""
        try:
            import pandas as pd  # noqa: PLC0415 (heavy, and optional)
        except ModuleNotFoundError as error:
            raise Unsupported(
                "A DataFrame needs pandas, which is not installed in this kernel.",
                hint="Run `%pip install pandas`; `.data` has the same without it.",
            ) from error
        return pd.DataFrame(self.records)

    def __repr__(self) -> str:
        """Show the plain side."""
        return self.text

    def _repr_html_(self) -> str:
        return str(self.html)


@dataclass(frozen=True, slots=True)
class Column(Generic[T]):
    """Be a column: its heading, and how an item is shown in text and, if different, in HTML.

    `whole` keeps a cell of HTML in one line, for names that hyphens would break.
    """

    heading: str
    text: Callable[[T], str]
    html: Callable[[T], str] | None = None
    whole: bool = False


def text_table(columns: Sequence[Column[T]], items: Sequence[T]) -> str:
    """Return a table as wide as its widest cells."""
    rows = [[column.heading for column in columns]]
    rows += [[printable(column.text(item)) or "-" for column in columns] for item in items]
    widths = [max(len(row[i]) for row in rows) for i in range(len(columns))]
    lines = ("  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)) for row in rows)
    return "\n".join(line.rstrip() for line in lines)


def html_table(columns: Sequence[Column[T]], items: Sequence[T], label: str) -> Markup:
    """Return a table whose cells are escaped."""
    head = (tag("th", _title(column.heading), scope="col", style=_LEFT) for column in columns)
    rows = (tag("tr", *(_cell(column, item) for column in columns)) for item in items)
    return tag("table", tag("thead", tag("tr", *head)), tag("tbody", *rows), aria_label=label)


def _cell(column: Column[T], item: T) -> Markup:
    style = f"{_LEFT}; white-space: nowrap" if column.whole else _LEFT
    return tag("td", (column.html or column.text)(item), style=style)


def _title(heading: str) -> str:
    """Write a heading as in a sentence; abbreviations keep their case."""
    first, *others = (w if w in _ABBREVIATIONS else w.lower() for w in heading.split())
    return " ".join((first if first in _ABBREVIATIONS else first.capitalize(), *others))


def pairs_text(pairs: Sequence[tuple[str, str]]) -> str:
    """Return lines of a name and what it is; pairs without a value are left out."""
    shown = [(name, value) for name, value in pairs if value]
    width = max((len(name) for name, _ in shown), default=0) + 2
    return "\n".join(f"{name + ':':<{width}}{printable(value)}" for name, value in shown)


def pairs_html(pairs: Sequence[tuple[str, str]], label: str) -> Markup:
    """Return the same as a table."""
    rows = (
        tag("tr", tag("th", name, scope="row", style=_LEFT), tag("td", value, style=_LEFT))
        for name, value in pairs
        if value
    )
    return tag("table", tag("tbody", *rows), aria_label=label)


def span_text(since: datetime, now: datetime) -> str:
    """Say how long ago something was: `42s`, `5m`, `3h`, `2d`."""
    seconds = max(0, int((now - since).total_seconds()))
    for unit, size in (("d", 86400), ("h", 3600), ("m", 60)):
        if seconds >= size:
            return f"{seconds // size}{unit}"
    return f"{seconds}s"


__all__ = [
    "Column",
    "Row",
    "View",
    "html_table",
    "join",
    "pairs_html",
    "pairs_text",
    "span_text",
    "text_table",
]
