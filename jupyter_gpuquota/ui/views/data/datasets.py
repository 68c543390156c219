"""Datasets, lakes and the rules for cached versions."""

from __future__ import annotations

from collections.abc import Sequence

from ....client.data.datasets import DATASETS
from ....client.data.lakes import LAKES
from ....client.listing import cell_text
from ....model.datasets.datasets import EVERYONE, Dataset, DatasetList, Lake, LakeList
from ....model.datasets.settings import CacheSettings, DataChangePreview, DataSettings
from ....model.spans import write_span
from ..markup import Markup, join, printable, tag
from ..view import (
    Column,
    NotedView,
    Row,
    TableView,
    View,
    html_table,
    pairs_html,
    pairs_text,
    text_table,
)
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


class SettingsView(View[DataSettings]):
    """Lakes and rules."""

    @property
    def text(self) -> str:
        """Return the lakes as a table, then the rules."""
        lakes = self.data.lakes
        table = text_table(LAKE_COLUMNS, lakes) if lakes else "No lakes are set."
        return f"{table}\n\n{pairs_text(rule_pairs(self.data.cache))}"

    @property
    def body(self) -> Markup:
        """Return the same as HTML."""
        lakes = self.data.lakes
        table = html_table(LAKE_COLUMNS, lakes, "Lakes") if lakes else tag("p", "No lakes are set.")
        return join(table, pairs_html(rule_pairs(self.data.cache), "Rules for cached versions"))

    @property
    def records(self) -> list[Row]:
        """Return a row for each lake."""
        return LAKES.rows(self.data.lakes)


class SettingsChangeView(View[DataChangePreview]):
    """What a change of lakes or rules would do."""

    @property
    def text(self) -> str:
        """Return the sentences, one a line."""
        return "\n".join(map(printable, self._lines))

    @property
    def body(self) -> Markup:
        """Return the same as HTML."""
        return join(*(tag("p", line) for line in self._lines))

    @property
    def records(self) -> list[Row]:
        """Return a row for each version that would go."""
        return [{"version": each} for each in self.data.evicted]

    @property
    def _lines(self) -> list[str]:
        sentences = [each.text for each in self.data.sentences] or [self.data.message]
        return [*sentences, *(f"  {each}" for each in self.data.evicted)]


def rule_pairs(rules: CacheSettings) -> list[tuple[str, str]]:
    """Return how long unused versions stay, by what decides it."""
    exceptions = [
        *((f"unused, {name}", _stay(span)) for name, span in rules.projects.items()),
        *((f"unused, dataset {name}", _stay(span)) for name, span in rules.datasets.items()),
    ]
    return [
        ("unused versions stay", _stay(rules.unused)),
        *exceptions,
        ("least recently used go above", f"{rules.high_water:.0%} of the capacity"),
    ]


def _stay(seconds: int) -> str:
    return write_span(seconds) if seconds else "until the room is needed"
