"""Versions of datasets."""

from __future__ import annotations

from ....client.data.versions import VERSIONS
from ....client.listing import cell_text
from ....model.datasets.versions import Version
from ....model.struct import Page
from ..markup import Markup, join, tag
from ..view import Column, Row, View, html_table, pairs_html, pairs_text, text_table
from .formats import copy_text, short, size_text


class VersionsView(View[Page[Version]]):
    """The versions of a dataset, newest first."""

    def __init__(self, data: Page[Version], dataset: str) -> None:
        super().__init__(data)
        self._none = f"{dataset} has no versions yet: jupyter gpu data sync {dataset} FOLDER."

    @property
    def text(self) -> str:
        """Return a row for each version."""
        return text_table(COLUMNS, self.data.items) if self.data.items else self._none

    @property
    def body(self) -> Markup:
        """Return the same as HTML."""
        items = self.data.items
        return html_table(COLUMNS, items, "Versions") if items else tag("p", self._none)

    @property
    def records(self) -> list[Row]:
        """Return a row for each version; sizes in bytes."""
        return VERSIONS.rows(self.data.items)


class VersionView(View[Version]):
    """One version; `note` says what has just happened to it."""

    def __init__(self, data: Version, *, note: str = "") -> None:
        super().__init__(data)
        self._note = note

    @property
    def text(self) -> str:
        """Return what has happened, or else the details, one a line."""
        return self._note or pairs_text(self._pairs())

    @property
    def body(self) -> Markup:
        """Return the same as a table."""
        table = pairs_html(self._pairs(), "Version")
        return join(tag("p", self._note), table) if self._note else table

    @property
    def records(self) -> list[Row]:
        """Return one row."""
        return VERSIONS.rows([self.data])

    def _pairs(self) -> list[tuple[str, str]]:
        data, copy = self.data, self.data.copy
        return [
            ("dataset", data.dataset),
            ("version", data.id),
            ("tags", ", ".join(data.tags)),
            ("message", data.message),
            ("author", data.author),
            ("time", cell_text(data.time)),
            ("files", f"{data.files:,}"),
            ("size", size_text(data.size)),
            ("sent", size_text(data.added)),
            ("follows", ", ".join(map(short, data.parents))),
            ("made by", data.source),
            ("copy", copy_text(copy.state, copy.done, copy.size) if copy else "not cached"),
            ("folder", copy.folder if copy else ""),
        ]


class IdView(VersionView):
    """The id of a version, alone."""

    @property
    def text(self) -> str:
        """Return the id."""
        return self.data.id


def version_copy(version: Version) -> str:
    """Return whether a version is cached: `cached`, `fetching 43 %`, or nothing."""
    copy = version.copy
    return copy_text(copy.state, copy.done, copy.size) if copy else ""


COLUMNS: list[Column[Version]] = [
    Column("VERSION", lambda each: short(each.id), whole=True),
    Column("TAGS", lambda each: ", ".join(each.tags)),
    Column("TIME", lambda each: cell_text(each.time), whole=True),
    Column("AUTHOR", lambda each: each.author),
    Column("FILES", lambda each: f"{each.files:,}"),
    Column("SIZE", lambda each: size_text(each.size), whole=True),
    Column("COPY", version_copy),
    Column("MESSAGE", lambda each: each.message),
]
