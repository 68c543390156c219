"""How much storage projects use, and who sees it."""

from __future__ import annotations

from datetime import timedelta

import pytest
from msgspec.structs import replace

from jupyter_gpuquota.core import storage
from jupyter_gpuquota.core.access import Caller, Rights
from jupyter_gpuquota.core.storage import Item
from jupyter_gpuquota.model.datasets.datasets import Dataset
from jupyter_gpuquota.model.datasets.versions import Version
from jupyter_gpuquota.model.snapshots.snapshots import Snapshot
from jupyter_gpuquota.model.volumes.storage import StorageUse
from jupyter_gpuquota.model.volumes.volumes import Volume
from tests.builders import NOW


def person(name: str, role: str, project: str = "team-a", *, admin: bool = False) -> Rights:
    return Rights(Caller(name), admin=admin, roles={project: role})


def snapshot(number: int, added: int, **fields: object) -> Snapshot:
    facts = {
        "id": f"{number}",
        "session": "s1",
        "project": "team-a",
        "owner": "ana",
        "created": NOW + timedelta(minutes=number),
        "parent": f"{number - 1}" if number else "",
        "size": 100,
    }
    return Snapshot(**{**facts, "added": added, **fields})


def dataset(**fields: object) -> Dataset:
    facts = {"name": "faces", "lake": "lake", "project": "team-a", "owner": "li", "created": NOW}
    return Dataset(**{**facts, **fields})


def version(number: int, added: int, *parents: str) -> Version:
    time = NOW + timedelta(minutes=number)
    return Version(
        dataset="faces", id=f"{number}", parents=parents, time=time, size=100, added=added
    )


def volume(name: str, used: int | None, **fields: object) -> Volume:
    facts = {"project": "team-a", "owner": "ana", "kind": "folder", "storage_class": "folder"}
    return Volume(**{**facts, "name": name, "used": used, "size": 50, **fields})


def stored(items: object) -> list[int | None]:
    return [item.stored for item in items]


@pytest.mark.parametrize("rest", [(0, 1, 2), (2, 0, 1)])
def test_contents_that_snapshots_share_count_once(rest: tuple[int, ...]) -> None:
    chain = [snapshot(0, 90), snapshot(1, 5), snapshot(2, 0)]
    assert stored(storage.of_snapshots(chain[n] for n in rest)) == [90, 5, 0]


def test_what_a_removed_snapshot_had_added_is_kept_by_the_oldest_that_is_left() -> None:
    assert stored(storage.of_snapshots([snapshot(3, 0), snapshot(2, 5)])) == [100, 0]
    another = snapshot(4, 7, session="s2", parent="")
    assert stored(storage.of_snapshots([snapshot(2, 5), another])) == [100, 7]


def test_what_copies_of_volumes_take_is_not_known() -> None:
    found = storage.of_snapshots([replace(snapshot(0, 0), added=None), snapshot(1, 7)])
    [use] = storage.sum_up(found, person("ana", "member"), "project")
    assert (use.size, use.stored, use.unknown) == (200, 7, 1)


def test_versions_of_a_dataset_count_what_they_added() -> None:
    whole = [version(2, 5, "1"), version(1, 90)]
    assert list(storage.of_datasets([(dataset(), whole)])) == [
        Item("team-a", "datasets", "li", 200, 95)
    ]
    assert stored(storage.of_datasets([(dataset(), whole[:1])])) == [100]


def test_a_dataset_in_a_members_own_lake_takes_nothing_of_the_team() -> None:
    own = dataset(own_lake=True)
    assert list(storage.of_datasets([(own, [version(1, 90)])])) == []


def test_a_folder_that_a_project_has_twice_counts_once() -> None:
    twice = [volume("a", 7, folder="/x"), volume("b", 7, folder="/x"), volume("c", 7)]
    assert stored(storage.of_volumes(twice)) == [7, 0, 7]
    claims = [volume("a", None), volume("b", 7)]
    assert stored(storage.of_volumes(claims)) == [None, 7]


ITEMS = [
    Item("team-a", "volumes", "ana", 50, None),
    Item("team-a", "volumes", "ben", 50, 7),
    Item("team-a", "datasets", "ana", 9, 9),
    Item("team-b", "datasets", "cho", 9, 9),
]


def test_everybody_with_a_role_sees_the_sums_of_a_project() -> None:
    found = storage.sum_up(ITEMS, person("vic", "viewer"), "project")
    assert found == (
        StorageUse(project="team-a", kind="datasets", items=1, size=9, stored=9),
        StorageUse(project="team-a", kind="volumes", items=2, size=100, stored=7, unknown=1),
    )


@pytest.mark.parametrize(
    ("rights", "owners"),
    [
        (person("ben", "member"), ["ben"]),
        (person("ben", "lead"), ["ana", "ana", "ben"]),
        (person("vic", "viewer"), []),
        (person("root", "viewer", admin=True), ["ana", "ana", "ben", "cho"]),
    ],
)
def test_leads_see_who_stores_how_much(rights: Rights, owners: list[str]) -> None:
    found = storage.sum_up(ITEMS, rights, "user")
    assert sorted(use.owner for use in found) == owners
