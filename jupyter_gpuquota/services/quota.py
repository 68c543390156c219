"""Use cases of quota."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from ..core import disclosure
from ..core import storage as usage
from ..errors import NotFound, NotLoaded
from ..model.quota import Quota
from ..model.volumes.storage import StorageList, StorageQuery
from ..ports.backend import Backend
from ..ports.datasets import Datasets
from .call import Call


async def get(backend: Backend, call: Call) -> Quota:
    """Return the use of every project."""
    found, projects = backend.usage.quota(), backend.inventory.projects()
    editable = backend.administration is not None
    return disclosure.quota(found, projects, call.rights, editable=editable)


async def storage(backend: Backend, call: Call) -> StorageList:
    """Return how much storage the projects of the caller use."""
    query: StorageQuery = call.query
    items: list[usage.Item] = []
    problems: list[str] = []
    # What is not loaded yet is a problem, too.
    if datasets := backend.datasets:
        problems += datasets.problems()
        with suppress(NotLoaded):
            items += await _of_datasets(datasets)
    if snapshots := backend.snapshots:
        problems += snapshots.problems()
        with suppress(NotLoaded):
            items += usage.of_snapshots(snapshots.all())
    if volumes := backend.volumes:
        items += usage.of_volumes(volumes.all())
        problems += volumes.problems()
    wanted = (each for each in items if query.project in {"", each.project})
    return StorageList(
        items=usage.sum_up(wanted, call.rights, query.by),
        problems=tuple(dict.fromkeys(problems)),
    )


async def _of_datasets(datasets: Datasets) -> Iterable[usage.Item]:
    """Return the items of all datasets but those that are removed meanwhile."""
    found = {}
    for dataset in datasets.all():
        try:
            found[dataset.name] = dataset, await datasets.versions(dataset.name)
        except NotFound:
            continue
    return usage.of_datasets(found.values())
