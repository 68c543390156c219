"""Checking requests for datasets."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from datetime import datetime

from msgspec.structs import replace

from ...errors import FieldError, NameTaken, refuse
from ...model.datasets.datasets import (
    EVERYONE,
    Dataset,
    DatasetChange,
    DatasetRecord,
    DatasetRequest,
)
from ...model.datasets.lakes import Lake
from ..access import Rights

NAME_LIMIT = 63
_NAME = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?", re.ASCII)


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
    project = request.project or _only_project(projects, rights)
    lake = request.lake or next((lake.name for lake in lakes), "")
    refuse(
        [
            *_name(request.name),
            *_project(project, projects, rights),
            *_lake(lake, lakes, project),
            *_grants("readers", request.readers, projects),
            *_grants("writers", request.writers, projects),
        ]
    )
    if any(dataset.name == request.name for dataset in known):
        raise NameTaken(f"There is a dataset {request.name} already.", hint="Use another name.")
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
    refuse(
        [
            *([] if project == dataset.project else _project(project, projects, rights)),
            *_grants("readers", set(readers) - set(dataset.readers), projects),
            *_grants("writers", set(writers) - set(dataset.writers), projects),
        ]
    )
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


def _only_project(projects: Iterable[str], rights: Rights) -> str:
    """Return the project that the caller may launch in, if it is the only one."""
    mine = [project for project in projects if rights.launches(project)]
    return mine[0] if len(mine) == 1 else ""


def _name(name: str) -> list[FieldError]:
    if len(name) <= NAME_LIMIT and _NAME.fullmatch(name):
        return []
    text = (
        f"A name has up to {NAME_LIMIT} lower-case letters, digits and '-', "
        "and begins and ends with a letter or a digit."
    )
    return [FieldError("name", text)]


def _project(name: str, projects: Collection[str], rights: Rights) -> list[FieldError]:
    mine = sorted(project for project in projects if rights.launches(project))
    if name in mine:
        return []
    listed = ", ".join(mine)
    if not name:
        return [FieldError("project", "Name the project of the dataset.", f"Yours: {listed}.")]
    hint = f"Yours: {listed}." if mine else "You are a member of no project."
    return [FieldError("project", f"You are not a member of {name}.", hint)]


def _lake(name: str, lakes: Collection[Lake], project: str) -> list[FieldError]:
    if "://" in name:
        return []
    found = next((lake for lake in lakes if lake.name == name), None)
    usable = [lake.name for lake in lakes if not lake.projects or project in lake.projects]
    if found and found.name in usable:
        return []
    hint = f"Lakes: {', '.join(usable)}; or the URL of your own." if usable else "Name a URL."
    if not name:
        return [FieldError("lake", "There is no lake yet.", "Name the URL of your own.")]
    return [FieldError("lake", f"There is no lake {name} for {project or 'you'}.", hint)]


def _grants(field: str, names: Iterable[str], projects: Collection[str]) -> list[FieldError]:
    unknown = sorted(set(names) - {EVERYONE, *projects})
    return [FieldError(field, f"There is no project {name}.") for name in unknown]
