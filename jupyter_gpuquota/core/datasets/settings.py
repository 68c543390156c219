"""Lakes and the rules for cached versions: checking them, and what a change would do now."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta

from ...model.datasets.caches import CachedVersion, CacheRules
from ...model.datasets.datasets import Dataset, Lake
from ...model.datasets.settings import (
    CacheRulesRequest,
    CacheSettings,
    DataChangePreview,
    DataSettings,
    DataSettingsRequest,
    LakeRequest,
)
from ...model.datasets.versions import SHOWN
from ...model.messages.build import joined, message
from ...model.struct import Number
from ..fields import FieldReader
from . import eviction
from .urls import check_url

_SECRET = re.compile(r"[a-z0-9]([-a-z0-9.]*[a-z0-9])?", re.ASCII)
_FILE = re.compile(r"/[^\x00-\x1f\x7f=]+")
_LEAST, _MOST = 0.1, 1.0


def check_data(request: DataSettingsRequest, projects: Sequence[str]) -> DataSettings:
    """Return the requested settings. Raises InvalidFields with every broken field."""
    reader = FieldReader()
    lakes = _lakes(request.lakes, projects, reader)
    cache = _cache(request.cache, projects, reader.under("cache."))
    reader.finish()
    return DataSettings(lakes=lakes, cache=cache, revision=request.revision)


def rules_for(settings: CacheSettings, dataset: str, project: str) -> CacheRules:
    """Return the rules for the cached versions of a dataset of a project."""
    usual = settings.projects.get(project, settings.unused)
    unused = settings.datasets.get(dataset, usual)
    return CacheRules(
        unused=timedelta(seconds=unused) if unused else None, high_water=settings.high_water
    )


def _lakes(
    asked: Sequence[LakeRequest], projects: Sequence[str], reader: FieldReader
) -> tuple[Lake, ...]:
    """Return the lakes, the default one first: the first one where none is named so."""
    names = [lake.name for lake in asked]
    defaults = [i for i, lake in enumerate(asked) if lake.default]
    for i, lake in enumerate(asked):
        inside = reader.under(f"lakes[{i}].")
        if lake.name in names[:i]:
            inside.wrong("name", "name.twice", name=lake.name)
        inside.name("name", lake.name, "main")
        check_url("url", lake.url, inside)
        if lake.credentials and not any(
            form.fullmatch(lake.credentials) for form in (_SECRET, _FILE)
        ):
            inside.wrong("credentials", "lake.credentials")
        _check_projects(lake.projects, projects, inside)
    for i in defaults[1:]:
        reader.wrong(f"lakes[{i}].default", "lake.default", name=names[defaults[0]])
    first = (defaults or [0])[0]
    found = [
        Lake(
            name=lake.name,
            url=lake.url,
            credentials=lake.credentials,
            projects=lake.projects,
            default=i == first,
        )
        for i, lake in enumerate(asked)
    ]
    return tuple(sorted(found, key=lambda lake: not lake.default))


def _check_projects(names: Sequence[str], projects: Sequence[str], reader: FieldReader) -> None:
    for i, name in enumerate(names):
        if name in names[:i]:
            reader.wrong(f"projects[{i}]", "name.twice", name=name)
        reader.known(f"projects[{i}]", name, projects, "project.unknown")


def _cache(
    asked: CacheRulesRequest, projects: Collection[str], reader: FieldReader
) -> CacheSettings:
    for name in asked.projects:
        reader.known(f"projects.{name}", name, sorted(projects), "project.unknown")
    for name in asked.datasets:
        reader.name(f"datasets.{name}", name, "faces")
    if not _LEAST <= asked.high_water <= _MOST:
        reader.wrong("high_water", "cache.high_water")
    return CacheSettings(
        unused=reader.duration("unused", asked.unused, "never"),
        high_water=asked.high_water,
        projects=_spans("projects", asked.projects, reader),
        datasets=_spans("datasets", asked.datasets, reader),
    )


def _spans(field: str, asked: Mapping[str, Number], reader: FieldReader) -> dict[str, int]:
    return {
        name: reader.duration(f"{field}.{name}", value, "never") for name, value in asked.items()
    }


def effect(
    settings: DataSettings,
    datasets: Sequence[Dataset],
    cached: Sequence[CachedVersion],
    capacity: int,
    now: datetime,
) -> DataChangePreview:
    """Return which cached versions would go, and which datasets would lose their lake."""
    projects = {dataset.name: dataset.project for dataset in datasets}

    def rules(version: CachedVersion) -> CacheRules:
        return rules_for(settings.cache, version.dataset, projects.get(version.dataset, ""))

    going = eviction.due(cached, capacity, rules, now)
    lakes = {lake.name for lake in settings.lakes}
    orphaned = [
        each.name for each in datasets if lakes and not each.own_lake | (each.lake in lakes)
    ]
    freed = sum(version.size for version in going)
    sentences = []
    if orphaned:
        sentences.append(message("lakes.orphaned", datasets=",".join(orphaned)))
    if going:
        sentences.append(message("cache.evicts", count=len(going), size=freed))
    if not sentences:
        sentences.append(message("cache.same"))
    return DataChangePreview(
        message=joined(*sentences),
        sentences=tuple(sentences),
        evicted=tuple(f"{each.dataset}@{each.version[:SHOWN]}" for each in going),
        freed=freed,
        orphaned=tuple(orphaned),
    )
