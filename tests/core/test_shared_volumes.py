"""The folders that admins share in the quota file."""

from __future__ import annotations

from jupyter_gpuquota.core.fields import FieldReader
from jupyter_gpuquota.core.volumes.uses import check_shared
from jupyter_gpuquota.model.volumes.volumes import SharedFolder, VolumeEntry

TEAMS = ["team-a", "team-b"]


def entry(**fields: object) -> VolumeEntry:
    return VolumeEntry(
        **{"name": "scans", "folder": "/data/scans", "projects": ("team-a",), **fields}
    )


def mistakes(*entries: VolumeEntry) -> dict[str, str]:
    reader = FieldReader()
    check_shared(entries, TEAMS, reader)
    return {each.field: each.message for each in reader.errors}


def test_what_is_right_is_read_and_a_project_counts_once() -> None:
    reader = FieldReader()
    wanted = entry(projects=("team-b", "team-a"), read_only=True, size="10Gi", description="CT")
    found = check_shared([wanted, entry(name="models")], TEAMS, reader)
    assert not reader.errors
    assert found[0] == SharedFolder(
        name="scans",
        folder="/data/scans",
        projects=("team-b", "team-a"),
        read_only=True,
        size=10 << 30,
        description="CT",
    )
    assert (found[1].name, found[1].size, found[1].read_only) == ("models", 0, False)


def test_a_name_is_free_in_another_project() -> None:
    assert mistakes(entry(), entry(projects=("team-b",))) == {}
    assert list(mistakes(entry(), entry(projects=("team-b", "team-a")))) == ["volumes[1].name"]


def test_every_mistake_is_told_at_once() -> None:
    found = mistakes(
        entry(name="Not a name", folder="data/scans", projects=()),
        entry(name="b", folder="/data/../etc", projects=("gone",), size="much"),
        entry(name="c", description="x" * 10_000),
    )
    assert found.keys() == {
        "volumes[0].name",
        "volumes[0].folder",
        "volumes[0].projects",
        "volumes[1].folder",
        "volumes[1].projects",
        "volumes[1].size",
        "volumes[2].description",
    }
    assert found["volumes[0].projects"] == "No project may mount it."
    assert found["volumes[1].projects"].startswith("Unknown project: 'gone'")
