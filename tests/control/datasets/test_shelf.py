"""The datasets of a lake in memory, while the lake changes, fails and answers again."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from jupyter_gpuquota.control.datasets.registry import Registry
from jupyter_gpuquota.control.datasets.shelf import Recorded, Shelf
from jupyter_gpuquota.errors import NotAllowed, NotFound, NotLoaded, Unavailable
from jupyter_gpuquota.model.datasets.datasets import Lake
from jupyter_gpuquota.store.lake import layout
from jupyter_gpuquota.store.lake.connection import in_memory
from jupyter_gpuquota.store.lake.history import Commit
from jupyter_gpuquota.store.lake.objects import Objects, Stored
from tests.builders import NOW, UNREADABLE
from tests.contract.data import record

pytestmark = pytest.mark.asyncio


class Flaky:
    """A lake that counts what is read, and does not answer while it is `down`."""

    def __init__(self) -> None:
        self.inner = in_memory("lake")
        self.down = False
        self.read: list[str] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    async def get(self, key: str) -> bytes:
        self.read.append(key)
        if self.down:
            raise Unavailable("The lake does not answer.")
        return await self.inner.get(key)

    async def list(self, prefix: str) -> AsyncIterator[Stored]:
        if self.down:
            raise Unavailable("The lake does not answer.")
        async for each in self.inner.list(prefix):
            yield each


def recorded(name: str = "faces", **fields: Any) -> Recorded:
    found = record(name, **fields)
    return Recorded(name=name, project=found.project, owner=found.owner, created=found.created)


A, B, C, D = ("a" * 64, "b" * 64, "c" * 64, "d" * 64)


def commit(version: str) -> Commit:
    return Commit(version=version, time=NOW)


async def test_only_what_has_changed_is_read_again() -> None:
    lake = Flaky()
    shelf = Shelf(lake)
    await shelf.create(recorded())
    for version in (A, B, C):
        await shelf.add("faces", commit(version))
    await shelf.tag("faces", "good", B)
    lake.read.clear()
    assert not await shelf.refresh()
    assert lake.read == []
    other = Shelf(lake)
    await other.refresh()
    await other.tag("faces", "good", C)
    await other.add("faces", commit(D))
    lake.read.clear()
    assert await shelf.refresh()
    assert lake.read == [layout.commit("faces", 4), layout.tag("faces", "good")]
    found = shelf.datasets["faces"]
    assert (list(found.versions), found.tags) == ([A, B, C, D], {"good": C})


async def test_the_last_known_state_stays_while_a_lake_does_not_answer() -> None:
    lake = Flaky()
    shelf = Shelf(lake)
    await shelf.create(recorded())
    lake.down = True
    assert await shelf.refresh()
    assert (list(shelf.datasets), shelf.problem) == (["faces"], "The lake does not answer.")
    lake.down = False
    assert await shelf.refresh()
    assert shelf.problem == ""


async def test_a_version_that_is_committed_again_is_the_last_one() -> None:
    shelf = Shelf(in_memory("lake"))
    await shelf.create(recorded())
    for version in (A, B, A, A):
        await shelf.add("faces", commit(version))
    assert list(shelf.datasets["faces"].versions) == [B, A]
    await shelf.drop("faces", A)
    assert list(shelf.datasets["faces"].versions) == [B]


async def test_a_removal_that_was_interrupted_can_be_repeated() -> None:
    lake = in_memory("lake")
    shelf = Shelf(lake)
    await shelf.create(recorded())
    await shelf.add("faces", commit(A))
    await lake.delete([layout.commit("faces", 1)])
    await shelf.remove("faces")
    assert dict(shelf.datasets) == {}
    assert [each async for each in lake.list(layout.DATASETS)] == []


@pytest.mark.parametrize(
    "body", [*UNREADABLE, b'{"version": "../../x", "time": "2026-01-01T00:00:00Z"}'], ids=range(6)
)
async def test_a_malformed_record_is_told_and_all_others_are_read(body: bytes) -> None:
    lake = in_memory("lake")
    shelf = Shelf(lake)
    for name in ("cats", "faces"):
        await shelf.create(recorded(name))
    await lake.put(layout.commit("faces", 1), body)
    await lake.put(layout.tag("faces", "good"), body)
    await shelf.add("faces", commit(B))
    await shelf.add("cats", commit(A))
    await lake.put(layout.record("cats"), body)
    other = Shelf(lake)
    await other.refresh()
    assert list(other.datasets["faces"].versions) == [B]
    await shelf.refresh()
    assert "datasets/faces/commits/00000001.json" in shelf.problem
    assert "datasets/cats/dataset.json" in shelf.problem
    assert {name: list(each.versions) for name, each in shelf.datasets.items()} == {
        "cats": [A],
        "faces": [B],
    }
    await shelf.change(recorded("cats"))
    await lake.delete([layout.commit("faces", 1), layout.tag("faces", "good")])
    await shelf.refresh()
    assert shelf.problem == ""


class Lakes:
    """A registry whose lakes a test changes."""

    def __init__(self, *lakes: Lake) -> None:
        self.lakes = lakes
        self.own = in_memory("own")
        self.opened: dict[str, Objects] = {}
        self.changes = 0
        self.restart()

    def restart(self) -> None:
        self.registry = Registry(self.own, lambda: self.lakes, self._open, self._changed)

    def _open(self, lake: Lake) -> Objects:
        if lake.url == "closed://":
            raise NotAllowed("The credentials cannot be read.")
        return self.opened.setdefault(lake.url, in_memory(lake.url))

    def _changed(self) -> None:
        self.changes += 1


MAIN, OTHER = Lake(name="main", url="memory://main", default=True), Lake(name="b", url="memory://b")


async def test_a_lake_that_cannot_be_opened_is_a_problem_until_it_can() -> None:
    lakes = Lakes(MAIN, Lake(name="b", url="closed://"))
    await lakes.registry.refresh()
    assert lakes.registry.problems() == ("Lake b: The credentials cannot be read.",)
    with pytest.raises(Unavailable, match="credentials"):
        await lakes.registry.create(record(), "b")
    lakes.lakes = (MAIN, OTHER)
    place = await lakes.registry.create(record(), "b")
    assert (place.lake, lakes.registry.problems()) == (OTHER, ())


async def test_of_two_datasets_with_a_name_the_first_lake_has_the_one_that_is_shown() -> None:
    lakes = Lakes(OTHER, MAIN)
    await lakes.registry.refresh()
    await lakes.registry.create(record(owner="one"), "main")
    await lakes.registry.create(record(owner="two"), "b")
    assert lakes.registry.place("faces").content.record.owner == "one"
    assert lakes.registry.places()["faces"].content.record.owner == "one"
    assert lakes.registry.problems() == ("faces in lake b is hidden by faces in lake main.",)


async def test_a_lake_that_is_not_set_any_more_takes_its_datasets_along() -> None:
    lakes = Lakes(MAIN, OTHER)
    await lakes.registry.create(record(), "b")
    lakes.lakes = (MAIN,)
    await lakes.registry.refresh()
    with pytest.raises(NotFound):
        lakes.registry.place("faces")
    lakes.lakes = (MAIN, OTHER)
    await lakes.registry.refresh()
    assert lakes.registry.place("faces").lake == OTHER


async def test_a_new_controller_shows_what_a_silent_lake_said_last() -> None:
    lakes, lake = Lakes(MAIN), Flaky()
    lakes.opened[MAIN.url] = lake
    place = await lakes.registry.create(record(), "main")
    await place.shelf.add("faces", commit(A))
    await lakes.registry.refresh()
    lakes.restart()
    lake.down = True
    await lakes.registry.refresh()
    found = lakes.registry.place("faces").content
    assert (list(found.versions), found.record.owner) == ([A], "owner")
    assert lakes.registry.problems() == ("Lake main: The lake does not answer.",)
    lake.down = False
    await lakes.registry.refresh()
    assert lakes.registry.problems() == ()


async def test_renewed_credentials_are_used_after_a_refusal() -> None:
    lakes, lake = Lakes(MAIN), Flaky()
    lakes.opened[MAIN.url] = lake
    await lakes.registry.refresh()
    lake.down = True
    await lakes.registry.refresh()
    lakes.opened[MAIN.url] = Flaky()
    await lakes.registry.refresh()
    assert lakes.registry.problems() == ()


async def test_a_list_that_was_not_read_yet_is_not_an_empty_one() -> None:
    lake = Flaky()
    registry = Registry(
        in_memory("own"), lambda: [Lake(name="main", url="memory://lake")], lambda _: lake, int
    )
    with pytest.raises(NotLoaded):
        registry.place("faces")
    assert "are being read" in registry.problems()[0]
    lake.down = True
    await registry.refresh()
    with pytest.raises(NotFound):
        registry.place("faces")
    assert registry.problems() == ("Lake main: The lake does not answer.",)


async def test_a_dataset_that_another_controller_makes_in_one_of_several_lakes_is_news() -> None:
    lakes = Lakes(MAIN, OTHER)
    another = Registry(in_memory("theirs"), lambda: lakes.lakes, lakes._open, int)
    for registry in (lakes.registry, another):
        await registry.refresh()
    await another.create(record("faces"), OTHER.name)
    before = lakes.changes
    await lakes.registry.refresh()
    await lakes.registry.refresh()
    assert (lakes.changes, set(lakes.registry.places())) == (before + 1, {"faces"})
