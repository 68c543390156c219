"""What a change of lakes and of the rules for cached versions would do now."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from ...model.datasets.caches import CachedVersion, CacheRules
from ...model.datasets.datasets import Dataset
from ...model.datasets.settings import DataChangePreview, DataSettings
from ...model.datasets.versions import SHOWN
from ...model.messages.build import joined, message
from . import eviction
from .settings import rules_for


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
