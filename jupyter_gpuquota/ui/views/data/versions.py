"""Versions of datasets."""

from __future__ import annotations

from ....client.data.versions import VERSIONS
from ....client.listing import cell_text
from ....model.datasets.versions import Version
from ....model.struct import Page
from ..view import Column, NotedView, TableView
from .formats import copy_text, short, size_text


class VersionsView(TableView[Page[Version], Version]):
    """The versions of a dataset, newest first."""

    def __init__(self, data: Page[Version], dataset: str) -> None:
        none = f"{dataset} has no versions yet: jupyter gpu data sync {dataset} FOLDER."
        super().__init__(data, data.items, VERSIONS, COLUMNS, "Versions", empty=none)


class VersionView(NotedView[Version]):
    """One version; `note` says what has just happened to it."""

    def __init__(self, data: Version, *, note: str = "") -> None:
        super().__init__(data, VERSIONS, note=note, pairs=_pairs(data), label="Version")


class IdView(VersionView):
    """The id of a version, alone."""

    @property
    def text(self) -> str:
        """Return the id."""
        return self.data.id


def _pairs(data: Version) -> list[tuple[str, str]]:
    copy = data.copy
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
