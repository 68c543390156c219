"""The base of all views, and tables in text and HTML."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ...client.listing import Row, Table, data_frame, text_grid
from ..hints import in_notebook
from ..neutral import neutral
from .markup import STYLE, Markup, join, printable, tag

if TYPE_CHECKING:
    import pandas as pd

T = TypeVar("T")
R = TypeVar("R")

# On each cell: JupyterLab aligns tables to the right, and takes our style sheet out of outputs
# that it does not trust.
_LEFT = "text-align: left"
_ABBREVIATIONS = frozenset({"GPU", "GPUs", "URL"})


class View(Generic[T]):
    """The answer of a command, as text, HTML and rows.

    `data` is the model, `document` the output of `--json`, `df` a pandas DataFrame, `exit_code`
    that of the shell.
    """

    def __init__(self, data: T, *, exit_code: int = 0) -> None:
        self.data = data
        self.exit_code = exit_code

    @property
    def document(self) -> Any:
        """Return the answer as REST gives it."""
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
        """Return why `exit_code` is not 0."""
        return f"Exit code {self.exit_code}."

    @property
    def html(self) -> Markup:
        """Return HTML with its style sheet."""
        return tag("div", STYLE, self.body, class_="gpuquota-view")

    @property
    def df(self) -> pd.DataFrame:
        """Return the table as a pandas DataFrame. Raises Unsupported if pandas is missing."""
        return data_frame(self.records, instead=".data")

    def __repr__(self) -> str:
        """Return the plain text, as a terminal may show it."""
        return neutral(self.text) if sys.stdout.isatty() else self.text

    def _repr_html_(self) -> str:
        return str(self.html)


@dataclass(frozen=True, slots=True)
class Column(Generic[T]):
    """A column: its heading, and an item's cell in text and, if different, in HTML.

    `whole` keeps a cell of HTML on one line, for names with hyphens.
    """

    heading: str
    text: Callable[[T], str]
    html: Callable[[T], str] | None = None
    whole: bool = False


class TableView(View[T], Generic[T, R]):
    """The items of an answer as a table, or a sentence if there are none."""

    def __init__(
        self,
        data: T,
        items: Sequence[R],
        table: Table[R],
        columns: Sequence[Column[R]],
        label: str,
        *,
        empty: str = "",
    ) -> None:
        super().__init__(data)
        self._items = items
        self._table = table
        self._columns = columns
        self._label = label
        self._empty = empty or table.empty

    @property
    def text(self) -> str:
        """Return a row for each item."""
        return text_table(self._columns, self._items) if self._items else self._empty

    @property
    def body(self) -> Markup:
        """Return the same as HTML."""
        if not self._items:
            return tag("p", in_notebook(self._empty))
        return html_table(self._columns, self._items, self._label)

    @property
    def records(self) -> list[Row]:
        """Return a row for each item, with all columns of the noun."""
        return self._table.rows(self._items)


class NotedView(View[T]):
    """One thing: what has just happened to it, or else its details."""

    def __init__(
        self,
        data: T,
        table: Table[T],
        *,
        note: str = "",
        pairs: Sequence[tuple[str, str]] = (),
        label: str = "",
    ) -> None:
        super().__init__(data)
        self._table = table
        self._note = note
        self._pairs = pairs
        self._label = label

    @property
    def text(self) -> str:
        """Return the note, or else the details, one a line."""
        return self._note or pairs_text(self._pairs)

    @property
    def body(self) -> Markup:
        """Return the note and the details as a table."""
        note = [tag("p", in_notebook(line)) for line in self._note.splitlines()]
        return join(*note, *([pairs_html(self._pairs, self._label)] if self._pairs else []))

    @property
    def records(self) -> list[Row]:
        """Return one row."""
        return self._table.rows([self.data])


def text_table(columns: Sequence[Column[T]], items: Sequence[T]) -> str:
    """Return a table with aligned columns."""
    rows = ([column.text(item) for column in columns] for item in items)
    return text_grid([column.heading for column in columns], rows)


def html_table(columns: Sequence[Column[T]], items: Sequence[T], label: str) -> Markup:
    """Return a table whose cells are escaped."""
    head = (tag("th", _title(column.heading), scope="col", style=_LEFT) for column in columns)
    rows = (tag("tr", *(_cell(column, item) for column in columns)) for item in items)
    return tag("table", tag("thead", tag("tr", *head)), tag("tbody", *rows), aria_label=label)


def _cell(column: Column[T], item: T) -> Markup:
    style = f"{_LEFT}; white-space: nowrap" if column.whole else _LEFT
    return tag("td", (column.html or column.text)(item), style=style)


def _title(heading: str) -> str:
    """Return a heading in sentence case; abbreviations keep their case."""
    first, *others = (w if w in _ABBREVIATIONS else w.lower() for w in heading.split())
    return " ".join((first if first in _ABBREVIATIONS else first.capitalize(), *others))


def pairs_text(pairs: Sequence[tuple[str, str]]) -> str:
    """Return lines of names and values; pairs without a value are left out."""
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
    """Return the time since then: `42s`, `5m`, `3h`, `2d`."""
    seconds = max(0, int((now - since).total_seconds()))
    for unit, size in (("d", 86400), ("h", 3600), ("m", 60)):
        if seconds >= size:
            return f"{seconds // size}{unit}"
    return f"{seconds}s"


def clock_text(at: datetime) -> str:
    """Return the time of day, in the zone of this machine or of `TZ`: `15:05 CET`."""
    return f"{at.astimezone():%H:%M %Z}"


def minute_text(at: datetime) -> str:
    """Return the same with the date: `2026-01-02 15:05 CET`."""
    return f"{at.astimezone():%Y-%m-%d %H:%M %Z}"


def second_text(at: datetime) -> str:
    """Return the same to the second: `2026-01-02 15:05:07 CET`."""
    return f"{at.astimezone():%Y-%m-%d %H:%M:%S %Z}"


__all__ = [
    "Column",
    "NotedView",
    "Row",
    "TableView",
    "View",
    "clock_text",
    "html_table",
    "join",
    "minute_text",
    "pairs_html",
    "pairs_text",
    "second_text",
    "span_text",
    "text_table",
]
