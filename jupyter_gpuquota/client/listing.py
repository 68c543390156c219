"""Lists as users see them: sequences with a small table, and a pandas DataFrame on demand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from ..errors import Unsupported

if TYPE_CHECKING:
    import pandas as pd

T = TypeVar("T")
R = TypeVar("R")
D = TypeVar("D")
Row = dict[str, Any]


@dataclass(frozen=True)
class Table(Generic[R]):
    """The columns of a noun, in order: how to read each from a line.

    `shown` names those of text and HTML; a DataFrame has all. `empty` is the text without lines.
    """

    columns: Mapping[str, Callable[[R], Any]]
    shown: tuple[str, ...]
    empty: str

    def rows(self, lines: Iterable[R]) -> list[Row]:
        """Return a row for each line, with plain values."""
        return [{name: read(line) for name, read in self.columns.items()} for line in lines]

    def frame(self, lines: Iterable[R]) -> pd.DataFrame:
        """Return a pandas DataFrame. Raises Unsupported if pandas is missing."""
        return data_frame(self.rows(lines), [*self.columns], instead=".rows")

    def cells(self, lines: Iterable[R]) -> list[list[str]]:
        """Return the text of each shown cell, one list a line."""
        return [[cell_text(self.columns[name](line)) for name in self.shown] for line in lines]


class Listing(Sequence[T], Generic[T, D]):
    """The items of an answer, with a table; `document` is the answer itself.

    Attributes of the answer can be read here, too: `client.nodes.list().source`.
    """

    def __init__(
        self, document: D, items: Sequence[T], table: Table[R], lines: Sequence[R] | None = None
    ) -> None:
        self.document = document
        self._items = tuple(items)
        self._table: Table[Any] = table
        self._lines: Sequence[Any] = self._items if lines is None else lines

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[T, ...]: ...
    def __getitem__(self, index: int | slice) -> T | tuple[T, ...]:
        """Return an item, or several as a tuple."""
        return self._items[index]

    def __len__(self) -> int:
        """Count the items."""
        return len(self._items)

    def __eq__(self, other: object) -> bool:
        """Compare items, also with those of a tuple or list."""
        return isinstance(other, Sequence) and self._items == tuple(other)

    __hash__ = None  # type: ignore[assignment]  # as for every sequence that equals a list

    def __getattr__(self, name: str) -> Any:
        """Read an attribute of the document. Raises AttributeError."""
        if name.startswith("_") or name == "document":
            raise AttributeError(name)
        return getattr(self.document, name)

    @property
    def rows(self) -> list[Row]:
        """The lines of the table as dicts of plain values."""
        return self._table.rows(self._lines)

    @property
    def df(self) -> pd.DataFrame:
        """The table as a pandas DataFrame. Raises Unsupported if pandas is missing."""
        return self._table.frame(self._lines)

    def __repr__(self) -> str:
        """Show the table in text."""
        if not self._lines:
            return self._table.empty
        return text_grid([n.upper() for n in self._table.shown], self._table.cells(self._lines))

    def _repr_html_(self) -> str:
        from html import escape  # noqa: PLC0415 (keeps the import light)

        def row(tag: str, cells: Iterable[str]) -> str:
            return "".join(f"<{tag} style='text-align: left'>{escape(c)}</{tag}>" for c in cells)

        if not self._lines:
            return f"<p>{escape(self._table.empty)}</p>"
        head = row("th", (name.replace("_", " ").capitalize() for name in self._table.shown))
        body = "".join(f"<tr>{row('td', cells)}</tr>" for cells in self._table.cells(self._lines))
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def data_frame(rows: list[Row], columns: list[str] | None = None, *, instead: str) -> pd.DataFrame:
    """Return rows as a pandas DataFrame; `instead` names what needs no pandas.

    Raises Unsupported if pandas is missing.
    """
    try:
        import pandas as pd  # noqa: PLC0415 (heavy, and optional)
    except ModuleNotFoundError as error:
        raise Unsupported(
            "A DataFrame needs pandas, which is not installed in this kernel.",
            hint=f"Run `%pip install pandas`, or use `{instead}`.",
        ) from error
    try:
        return pd.DataFrame(rows, columns=columns)
    except UnicodeEncodeError:
        # The name of a file that is not UTF-8: pandas 3 keeps texts in Arrow's strings, if pyarrow
        # is installed, and those cannot hold it.
        return pd.DataFrame(rows, columns=columns, dtype=object)


def text_grid(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return lines of text whose columns are as wide as their widest cells."""
    lines = [headings, *([printable(cell) or "-" for cell in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    padded = ("  ".join(c.ljust(w) for c, w in zip(line, widths, strict=True)) for line in lines)
    return "\n".join(line.rstrip() for line in padded)


def printable(text: str) -> str:
    """Return one line of text without characters that control a terminal."""
    return "".join(
        letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text
    )


def cell_text(value: Any) -> str:
    """Return a plain value as text: times in the zone of this machine, nothing for None."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else ""
    if isinstance(value, datetime):
        return f"{value.astimezone():%Y-%m-%d %H:%M}"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, list | tuple):
        return ", ".join(map(cell_text, value))
    return str(value)
