"""A dataset is created with a name, a project and a lake, or all that is wrong is said at once."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from jupyter_gpuquota.core.access import Caller, Rights
from jupyter_gpuquota.core.datasets.requests import changed_record, new_record
from jupyter_gpuquota.errors import InvalidFields, NameTaken
from jupyter_gpuquota.model.datasets.datasets import (
    Dataset,
    DatasetChange,
    DatasetRecord,
    DatasetRequest,
    Lake,
)

NOW = datetime(2026, 1, 1, tzinfo=UTC)
ANA = Rights(Caller("ana"), roles={"team-a": "member", "team-b": "viewer"})
PROJECTS = ("team-a", "team-b")
LAKES = (Lake(name="main", url="s3://ours"), Lake(name="b", url="s3://b", projects=("team-b",)))
KNOWN = (Dataset(name="cats", lake="main", project="team-b", owner="li", created=NOW),)


def create(**fields: object) -> tuple[DatasetRecord, str]:
    asked = DatasetRequest(**({"name": "faces"} | fields))
    return new_record(asked, KNOWN, LAKES, PROJECTS, ANA, NOW)


def wrong(**fields: object) -> dict[str, str]:
    with pytest.raises(InvalidFields) as caught:
        create(**fields)
    return {field.field: f"{field.message} {field.hint}" for field in caught.value.fields}


def test_the_first_project_and_the_default_lake_need_not_be_named() -> None:
    record, lake = create()
    assert (record.project, record.owner, record.created, lake) == ("team-a", "ana", NOW, "main")


def test_a_lake_of_ones_own_is_a_url() -> None:
    assert create(lake="s3://mine/lake")[1] == "s3://mine/lake"


def test_all_that_is_wrong_is_said_at_once() -> None:
    found = wrong(
        name="Bad Name",
        project="team-b",
        lake="s3://key:secret@mine/lake",
        readers=("nobody",),
        writers=("*", "noone"),
    )
    assert set(found) == {"name", "project", "lake", "readers", "writers"}
    assert "secret" not in str(found)
    assert "Yours: team-a" in found["project"]


@pytest.mark.parametrize("lake", ["b", "nothing", "ftp://x/y", "s3://", "file://relative"])
def test_a_lake_that_one_may_not_use_or_that_is_none_is_refused(lake: str) -> None:
    assert set(wrong(lake=lake)) == {"lake"}


def test_a_name_is_taken_whoever_has_it() -> None:
    with pytest.raises(NameTaken) as caught:
        create(name="cats")
    assert "li" not in str(caught.value).split()


def test_a_change_checks_what_is_new_only() -> None:
    faces = Dataset(
        name="faces", lake="main", project="gone", owner="ana", created=NOW, readers=("gone",)
    )
    kept = changed_record(faces, DatasetChange(description="more"), PROJECTS, ANA)
    assert (kept.description, kept.project, kept.readers) == ("more", "gone", ("gone",))
    with pytest.raises(InvalidFields) as caught:
        changed_record(faces, DatasetChange(project="team-b", writers=("no",)), PROJECTS, ANA)
    assert [field.field for field in caught.value.fields] == ["project", "writers"]
