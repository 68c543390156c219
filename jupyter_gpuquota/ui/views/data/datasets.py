"""Datasets and lakes."""

from __future__ import annotations

from collections.abc import Sequence

from ....client.data.datasets import DATASETS
from ....client.data.lakes import LAKES
from ....client.listing import cell_text
from ....model.datasets.datasets import EVERYONE, Dataset, DatasetList
from ....model.datasets.lakes import Lake, LakeList
from ..markup import Markup, join, printable, tag
from ..view import Column, NotedView, TableView
from .formats import ago_text, count_text, short, size_text

_NONE = "No datasets. Create one: jupyter gpu data init NAME."


class DatasetsView(TableView[DatasetList, Dataset]):
    """Datasets, and lakes that do not answer."""

    def __init__(self, data: DatasetList) -> None:
        super().__init__(data, data.items, DATASETS, _COLUMNS, "Datasets", empty=_NONE)

    @property
    def text(self) -> str:
        """Return a table, then problems."""
        return "\n".join([super().text, *map(printable, self._problems)])

    @property
    def body(self) -> Markup:
        """Return the same as HTML."""
        problems = (tag("p", line, class_="gpuquota-bad") for line in self._problems)
        return join(super().body, *problems)

    @property
    def _problems(self) -> list[str]:
        own = [f"{each.name}: {each.problem}" for each in self.data.items if each.problem]
        return [*self.data.problems, *own]


class DatasetView(NotedView[Dataset]):
    """One dataset; `note` says what has just happened to it."""

    def __init__(self, data: Dataset, *, note: str = "") -> None:
        super().__init__(data, DATASETS, note=note, pairs=_pairs(data), label="Dataset")


class LakesView(TableView[LakeList, Lake]):
    """Lakes."""

    def __init__(self, data: LakeList) -> None:
        super().__init__(data, data.items, LAKES, LAKE_COLUMNS, "Lakes")


def _pairs(data: Dataset) -> list[tuple[str, str]]:
    latest = data.latest
    return [
        ("dataset", data.name),
        ("description", data.description),
        ("project", data.project),
        ("owner", data.owner),
        ("may read", _projects(data.readers)),
        ("may write", _projects(data.writers)),
        ("lake", f"{data.lake} (your own)" if data.own_lake else data.lake),
        ("created", cell_text(data.created)),
        ("versions", str(data.versions)),
        ("cached", f"{data.cached}" if data.cached else ""),
        ("latest", f"{short(latest.id)} {', '.join(latest.tags)}".strip() if latest else ""),
        ("files", f"{latest.files:,}" if latest else ""),
        ("size", size_text(latest.size) if latest else ""),
        ("problem", data.problem),
    ]


def _projects(names: Sequence[str]) -> str:
    return ", ".join("everyone" if name == EVERYONE else name for name in names)


def _latest(data: Dataset) -> str:
    return f"{short(data.latest.id)}, {ago_text(data.latest.time)}" if data.latest else ""


def _size(data: Dataset) -> str:
    if not data.latest:
        return ""
    return f"{count_text(data.latest.files, 'file')}, {size_text(data.latest.size)}"


_COLUMNS: list[Column[Dataset]] = [
    Column("NAME", lambda each: each.name, whole=True),
    Column("PROJECT", lambda each: each.project, whole=True),
    Column("OWNER", lambda each: each.owner),
    Column("VERSIONS", lambda each: str(each.versions)),
    Column("LATEST", _latest),
    Column("SIZE", _size),
    Column("CACHED", lambda each: str(each.cached) if each.cached else ""),
    Column("LAKE", lambda each: each.lake),
    Column("DESCRIPTION", lambda each: each.description),
]

LAKE_COLUMNS: list[Column[Lake]] = [
    Column("NAME", lambda each: f"{each.name} (default)" if each.default else each.name),
    Column("URL", lambda each: each.url),
    Column("PROJECTS", lambda each: ", ".join(each.projects)),
    Column("CREDENTIALS", lambda each: each.credentials),
    Column("PROBLEM", lambda each: each.problem),
]
