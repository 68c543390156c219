"""Files of versions, and differences between versions."""

from __future__ import annotations

from collections.abc import Iterable

from ....client.data.files import DIFFERENCES, FILES
from ....model.datasets.files import Comparison, DataFile, Difference
from ....model.struct import Page
from ..markup import Markup, join, tag
from ..view import Column, Row, View, html_table
from .formats import count_text, path_text, short, size_text

_MARKS = {"added": "+", "removed": "-", "changed": "~"}
_LONGEST = 1000
"""Rows of a table in a notebook; `.df` has all."""


class FilesView(View[Page[DataFile]]):
    """The entries of a folder of a version."""

    @property
    def text(self) -> str:
        """Return a line for each entry."""
        if not self.data.items:
            return FILES.empty
        return "\n".join([*file_lines(self.data.items), *self._more()])

    @property
    def body(self) -> Markup:
        """Return a table."""
        if not self.data.items:
            return tag("p", FILES.empty)
        return join(
            html_table(_FILES, self.data.items, "Files"), *(tag("p", m) for m in self._more())
        )

    @property
    def records(self) -> list[Row]:
        """Return a row for each entry; sizes in bytes."""
        return FILES.rows(self.data.items)

    def _more(self) -> list[str]:
        left = self.data.total - len(self.data.items)
        return [f"… and {left:,} more: --limit 0 lists all."] if left > 0 else []


class DiffView(View[Comparison]):
    """What differs between two versions."""

    @property
    def text(self) -> str:
        """Return the sums, then a line for each path."""
        return "\n".join([self._sums(), *map(_line, self.data.items)])

    @property
    def body(self) -> Markup:
        """Return the same as a table."""
        items = self.data.items[:_LONGEST]
        sums = tag("p", self._sums())
        left = len(self.data.items) - len(items)
        more = tag("p", f"… and {left:,} more.") if left else Markup()
        return join(sums, html_table(_DIFFERENCES, items, "Differences"), more) if items else sums

    @property
    def records(self) -> list[Row]:
        """Return a row for each path; sizes in bytes."""
        return DIFFERENCES.rows(self.data.items)

    def _sums(self) -> str:
        data = self.data
        if not (data.added or data.removed or data.changed):
            return f"{short(data.before)} and {short(data.after)} have the same files."
        return (
            f"{short(data.before)} → {short(data.after)}: {data.added:,} added, "
            f"{data.removed:,} removed, {data.changed:,} changed"
        )


def file_lines(files: Iterable[DataFile]) -> Iterable[str]:
    """Return a line for each entry: its size, how many files it has, and its path."""
    for each in files:
        size = "" if each.kind == "link" else size_text(each.size)
        inside = count_text(each.files, "file") if each.kind == "folder" else ""
        yield f"{size:>9}  {inside:>14}  {_path(each)}"


def _path(each: DataFile) -> str:
    path = path_text(each.path, raw=each.raw)
    if each.kind == "link":
        return f"{path} -> {path_text(each.target)}"
    return f"{path}/" if each.kind == "folder" else path


def _line(each: Difference) -> str:
    mark = _MARKS.get(each.change, each.change)
    return f"{mark} {path_text(each.path, raw=each.raw)}  {_sizes(each)}"


def _sizes(each: Difference) -> str:
    if each.change == "changed":
        return f"({size_text(each.before)} → {size_text(each.after)})"
    return f"({size_text(each.after if each.change == 'added' else each.before)})"


_FILES: list[Column[DataFile]] = [
    Column("PATH", _path),
    Column("SIZE", lambda each: "" if each.kind == "link" else size_text(each.size), whole=True),
    Column("FILES", lambda each: f"{each.files:,}" if each.kind == "folder" else ""),
]
_DIFFERENCES: list[Column[Difference]] = [
    Column("CHANGE", lambda each: each.change),
    Column("PATH", lambda each: path_text(each.path, raw=each.raw)),
    Column("SIZE", _sizes),
]
