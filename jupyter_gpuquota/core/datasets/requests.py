"""Checking requests for datasets."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime

from msgspec.structs import replace

from ...errors import NameTaken
from ...model.datasets.datasets import (
    EVERYONE,
    Dataset,
    DatasetChange,
    DatasetRecord,
    DatasetRequest,
    Lake,
)
from ..access import Rights
from ..fields import FieldReader
from .urls import check_url


def new_record(
    request: DatasetRequest,
    known: Iterable[Dataset],
    lakes: Collection[Lake],
    projects: Collection[str],
    rights: Rights,
    now: datetime,
) -> tuple[DatasetRecord, str]:
    """Return the record and the lake, a name or a URL, of a dataset to create.

    Raises InvalidFields with all problems, NameTaken, which does not say by whom.
    """
    project = request.project or _first_project(projects, rights)
    lake = request.lake or next((lake.name for lake in lakes), "")
    reader = FieldReader()
    reader.name("name", request.name, "faces")
    _check_project(project, projects, rights, reader)
    _check_lake(lake, lakes, project, reader)
    _check_grants("readers", request.readers, projects, reader)
    _check_grants("writers", request.writers, projects, reader)
    reader.finish()
    if any(dataset.name == request.name for dataset in known):
        raise NameTaken(f"A dataset {request.name} exists already.", hint="Use another name.")
    record = DatasetRecord(
        name=request.name,
        project=project,
        owner=rights.caller.name,
        created=now,
        description=request.description,
        readers=request.readers,
        writers=request.writers,
    )
    return record, lake


def changed_record(
    dataset: Dataset, change: DatasetChange, projects: Collection[str], rights: Rights
) -> DatasetRecord:
    """Return the record of a dataset after a change. Raises InvalidFields with all problems."""
    project = dataset.project if change.project is None else change.project
    readers = dataset.readers if change.readers is None else change.readers
    writers = dataset.writers if change.writers is None else change.writers
    reader = FieldReader()
    if project != dataset.project:
        _check_project(project, projects, rights, reader)
    _check_grants("readers", set(readers) - set(dataset.readers), projects, reader)
    _check_grants("writers", set(writers) - set(dataset.writers), projects, reader)
    reader.finish()
    record = record_of(dataset)
    description = record.description if change.description is None else change.description
    return replace(
        record, project=project, readers=readers, writers=writers, description=description
    )


def record_of(dataset: Dataset) -> DatasetRecord:
    """Return what is recorded of a dataset."""
    return DatasetRecord(
        name=dataset.name,
        project=dataset.project,
        owner=dataset.owner,
        created=dataset.created,
        description=dataset.description,
        readers=dataset.readers,
        writers=dataset.writers,
    )


def _first_project(projects: Iterable[str], rights: Rights) -> str:
    """Return the first project that the caller may launch in, as for a session without one."""
    return next((project for project in projects if rights.launches(project)), "")


def _check_project(
    name: str, projects: Collection[str], rights: Rights, reader: FieldReader
) -> None:
    mine = sorted(project for project in projects if rights.launches(project))
    if name in mine:
        return
    listed = f"Yours: {', '.join(mine)}." if mine else "You are not a member of any project."
    text = f"You are not a member of {name}." if name else "Name the project of the dataset."
    reader.untranslated("project", text, listed)


def _check_lake(name: str, lakes: Collection[Lake], project: str, reader: FieldReader) -> None:
    usable = [lake.name for lake in lakes if not lake.projects or project in lake.projects]
    if "://" in name:
        check_url("lake", name, reader)
    elif not name:
        reader.untranslated("lake", "There is no lake yet.", "Name the URL of your own.")
    elif name not in usable:
        hint = f"Lakes: {', '.join(usable)}; or the URL of your own." if usable else "Name a URL."
        reader.untranslated("lake", f"There is no lake {name} for {project or 'you'}.", hint)


def _check_grants(
    field: str, names: Iterable[str], projects: Collection[str], reader: FieldReader
) -> None:
    for name in sorted(set(names) - {EVERYONE}):
        reader.known(field, name, sorted(projects), "project.unknown")
