"""Use cases of datasets."""

from __future__ import annotations

from datetime import UTC, datetime

from ..core.datasets import jobs, requests, rights
from ..model.datasets.datasets import Dataset, DatasetAction, DatasetList
from ..model.struct import Nothing
from ..ports.backend import Backend, require
from ..ports.datasets import Datasets
from .call import Call


async def list_(backend: Backend, call: Call) -> DatasetList:
    """Return the datasets that the caller may see."""
    datasets = able(backend)
    items = (rights.dataset(each, call.rights) for each in rights.seen(datasets.all(), call.rights))
    return DatasetList(items=tuple(items), problems=datasets.problems())


async def get(backend: Backend, call: Call) -> Dataset:
    """Return one dataset."""
    return rights.dataset(find(backend, call), call.rights)


async def create(backend: Backend, call: Call) -> Dataset:
    """Check a request and create its dataset."""
    datasets = able(backend.at(call.body.project))
    record, lake = requests.new_record(
        call.body,
        datasets.all(),
        datasets.lakes(),
        _projects(backend),
        call.rights,
        datetime.now(UTC),
    )
    return rights.dataset(await datasets.create(record, lake), call.rights)


async def change(backend: Backend, call: Call) -> Dataset:
    """Change what is recorded of a dataset."""
    dataset = find(backend, call, "remove", "change")
    able(backend.at(call.body.project or dataset.project))
    record = requests.changed_record(dataset, call.body, _projects(backend), call.rights)
    return rights.dataset(await able(backend).change(record), call.rights)


async def delete(backend: Backend, call: Call) -> Nothing:
    """Remove a dataset with all its versions."""
    dataset = find(backend, call, "remove", "remove")
    jobs.check_idle(dataset.name, backend.jobs.all() if backend.jobs else ())
    await able(backend).remove(dataset.name)
    return Nothing()


def find(backend: Backend, call: Call, action: DatasetAction = "see", what: str = "see") -> Dataset:
    """Return the dataset that the path names. Raises NotFound, NotAllowed."""
    dataset = rights.find(call.args["dataset"], able(backend).all(), call.rights)
    rights.check(action, dataset, call.rights, what)
    return dataset


def able(backend: Backend) -> Datasets:
    """Return the capability. Raises Unsupported."""
    return require(backend, "datasets", backend.datasets)


def _projects(backend: Backend) -> list[str]:
    """Return the projects whose clusters have datasets."""
    names = (project.name for project in backend.inventory.projects())
    return [name for name in names if backend.at(name).datasets]
