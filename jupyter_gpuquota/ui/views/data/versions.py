"""Versions, and the lineage of a dataset and of a snapshot."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import ClassVar

from ....client.data.versions import VERSIONS
from ....client.listing import cell_text
from ....model.datasets.lineage import Lineage, Origin, Relation
from ....model.datasets.versions import Version
from ....model.struct import Page
from ..markup import Markup, join, printable, tag
from ..view import Column, NotedView, Row, TableView, View
from .formats import copy_text, short, size_text

Words = Mapping[tuple[Relation, bool], str]
"""What is said of a node, by the relation and whether it leads away from the node."""


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


class LineageView(View[Lineage]):
    """What has made the versions of a dataset, and what has used them."""

    words: ClassVar[Words] = {
        ("produced", False): "made by",
        ("follows", False): "follows",
        ("used", True): "used by",
    }

    @property
    def text(self) -> str:
        """Return a line for each version, and below it a line for each relation."""
        lines = []
        for version, relations in self._described():
            lines.append(version)
            lines += [f"  {each}" for each in relations]
        return "\n".join(map(printable, lines)) or "No versions yet."

    @property
    def body(self) -> Markup:
        """Return the same as lists."""
        parts = [
            join(tag("p", tag("b", version)), tag("ul", *(tag("li", each) for each in relations)))
            for version, relations in self._described()
        ]
        return join(*parts) if parts else tag("p", "No versions yet.")

    @property
    def records(self) -> list[Row]:
        """Return a row for each relation."""
        labels = {node.id: _label(node) for node in self.data.nodes}
        return [
            {
                "source": labels[link.source],
                "relation": link.relation,
                "target": labels[link.target],
            }
            for link in self.data.links
        ]

    def subjects(self) -> Iterator[Origin]:
        """Yield the nodes of which something is said."""
        return (node for node in self.data.nodes if node.kind == "version")

    def _described(self) -> Iterator[tuple[str, list[str]]]:
        """Yield each subject with what is related to it."""
        labels = {node.id: _label(node) for node in self.data.nodes}
        around: dict[str, list[str]] = defaultdict(list)
        for link in self.data.links:
            for here, there, away in (
                (link.source, link.target, True),
                (link.target, link.source, False),
            ):
                if words := self.words.get((link.relation, away)):
                    around[here].append(f"{words} {labels[there]}")
        for node in self.subjects():
            yield _label(node), around[node.id]


class SnapshotLineageView(LineageView):
    """What a snapshot comes from, and what has come from it."""

    words: ClassVar[Words] = {
        ("produced", False): "taken of",
        ("used", False): "uses",
        ("follows", False): "follows",
        ("follows", True): "followed by",
        ("produced", True): "restored as",
    }

    def subjects(self) -> Iterator[Origin]:
        """Yield the snapshot: it is the first node."""
        return iter(self.data.nodes[:1])


def _label(node: Origin) -> str:
    """Return a node in words: `session train1 (ana, team-a)`."""
    named = node.kind == "version" or node.id.startswith("project:")
    detail = f" ({node.detail})" if node.detail and node.kind in ("session", "commit") else ""
    said = f": {node.detail}" if node.detail and node.kind in ("version", "snapshot") else ""
    kind = "" if named else f"{node.kind} "
    return f"{kind}{node.label}{detail}{said}"
