"""All datasets that the controller knows: those of the admins' lakes and of members' own."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec
from msgspec.structs import asdict, replace

from ...errors import GpuQuotaError, NotFound, NotLoaded, Unavailable
from ...model.datasets.datasets import DatasetRecord, Lake
from ...store.lake.objects import Objects
from .shelf import Content, Recorded, Shelf, versions_of

_log = logging.getLogger(__name__)

_KIND = dict[str, Content]
Lakes = Callable[[], Sequence[Lake]]
"""The lakes that admins have set up, now."""

Opening = Callable[[Lake], Objects]
"""Opens a lake; raises InvalidFields or StorageFailed where it cannot be."""


class Recall:
    """Copies of what shelves contained, by the URLs of their lakes. They may be lost."""

    def __init__(self, own: Objects) -> None:
        self._own = own
        self._kept: dict[str, Mapping[str, Content]] = {}

    async def remember(self, lake: Lake, datasets: Mapping[str, Content]) -> None:
        """Keep what a lake contains, unless that is what was kept last."""
        if self._kept.get(lake.url) == datasets:
            return
        self._kept[lake.url] = datasets
        found = {name: replace(content, versions={}) for name, content in datasets.items()}
        try:
            await self._own.put(_key(lake), msgspec.json.encode(found), durable=False)
        except GpuQuotaError as error:
            _log.warning("What lake %s contains cannot be kept: %s", lake.name, error)

    async def recall(self, lake: Lake) -> dict[str, Content]:
        """Return what a lake contained, nothing where that is not known."""
        try:
            found = msgspec.json.decode(await self._own.get(_key(lake)), type=_KIND)
        except NotFound:
            return {}
        except (GpuQuotaError, msgspec.DecodeError) as error:
            _log.warning("What lake %s contained cannot be read: %s", lake.name, error)
            return {}
        return {
            name: replace(content, versions=versions_of(each for _, each in content.commits))
            for name, content in found.items()
        }


def _key(lake: Lake) -> str:
    return f"lakes/{hashlib.sha256(lake.url.encode()).hexdigest()[:32]}.json"


def not_loaded() -> NotLoaded:
    """Return the error of what is not known before the lakes have been read."""
    return NotLoaded("The datasets are being read from their lakes.", hint="Try again in a moment.")


class Place(NamedTuple):
    """One dataset, the shelf that it is recorded on, and its lake: None if it is a member's own."""

    content: Content
    shelf: Shelf
    lake: Lake | None


class Registry:
    """The shelves of all lakes, and one beside the controller for members' own lakes.

    `changed` is called after every change.
    """

    def __init__(
        self, own: Objects, lakes: Lakes, opening: Opening, changed: Callable[[], None]
    ) -> None:
        self.own = Shelf(own)
        self._lakes = lakes
        self._opening = opening
        self.changed = changed
        self._shelves: dict[str, tuple[Lake, Shelf]] = {}
        self._closed: dict[str, str] = {}
        self._recall = Recall(own)
        self.is_loaded = False
        """Whether the lakes have been read, as far as they answer."""

    def lakes(self) -> tuple[Lake, ...]:
        """Return the lakes of the admins, the default one first, with their problems."""
        found = sorted(self._lakes(), key=lambda lake: not lake.default)
        known = {name: shelf.problem for name, (_, shelf) in self._shelves.items()} | self._closed
        return tuple(replace(lake, problem=known.get(lake.name, "")) for lake in found)

    def problems(self) -> tuple[str, ...]:
        """Return which lakes do not answer, and which datasets are hidden by others."""
        if not self.is_loaded:
            return (not_loaded().message,)
        silent = [f"Lake {each.name}: {each.problem}" for each in self.lakes() if each.problem]
        if self.own.problem:
            silent.append(f"Datasets in members' lakes: {self.own.problem}")
        seen: dict[str, str] = {}
        for name, place in self._all():
            lake = place.lake.name if place.lake else place.content.record.lake
            if name in seen:
                silent.append(f"{name} in lake {lake} is hidden by {name} in lake {seen[name]}.")
            seen.setdefault(name, lake)
        return tuple(silent)

    def places(self) -> Mapping[str, Place]:
        """Return all datasets by name, sorted; of equal names, that of the first lake counts."""
        found: dict[str, Place] = {}
        for name, place in self._all():
            found.setdefault(name, place)
        return dict(sorted(found.items()))

    def place(self, dataset: str) -> Place:
        """Return one dataset. Raises NotFound, NotLoaded."""
        for lake in self.lakes():
            shelf = self._shelves[lake.name][1] if lake.name in self._shelves else None
            if shelf and dataset in shelf.datasets:
                return Place(shelf.datasets[dataset], shelf, lake)
        if dataset in self.own.datasets:
            return Place(self.own.datasets[dataset], self.own, None)
        if not self.is_loaded:
            raise not_loaded()
        raise NotFound(f"Dataset {dataset!r} not found.", hint="jupyter gpu data lists them.")

    def objects(self, lake: str) -> Objects | None:
        """Return the objects of a lake, None if it cannot be opened."""
        return self._shelves[lake][1].objects if lake in self._shelves else None

    async def refresh(self, renewed: Collection[str] = ()) -> None:
        """Read everything that has changed in any lake; open those anew that are `renewed`."""
        self._reopen(renewed)
        reading = [self._refresh(*each) for each in self._shelves.values()]
        has_changed = any(await asyncio.gather(self.own.refresh(), *reading))
        self.is_loaded = True
        if has_changed:
            self.changed()

    async def create(self, record: DatasetRecord, lake: str) -> Place:
        """Record a new dataset in a lake, a name or a URL. Raises NameTaken, Unavailable."""
        self._reopen()
        if "://" in lake:
            shelf, url = self.own, lake
        else:
            shelf, url = self._shelf(lake), ""
        await shelf.create(Recorded(**asdict(record), lake=url))
        self.changed()
        return self.place(record.name)

    async def _refresh(self, lake: Lake, shelf: Shelf) -> bool:
        """Read one lake; show what it said last while it has not answered yet."""
        changed = await shelf.refresh()
        if not shelf.problem:
            await self._recall.remember(lake, shelf.datasets)
        elif not shelf.datasets:
            shelf.datasets = await self._recall.recall(lake)
        return changed

    def _all(self) -> Iterator[tuple[str, Place]]:
        for lake in self.lakes():
            if lake.name in self._shelves:
                shelf = self._shelves[lake.name][1]
                for name, content in shelf.datasets.items():
                    yield name, Place(content, shelf, lake)
        for name, content in self.own.datasets.items():
            yield name, Place(content, self.own, None)

    def _shelf(self, lake: str) -> Shelf:
        if lake not in self._shelves:
            why = self._closed.get(lake, "It does not exist.")
            raise Unavailable(
                f"The lake {lake} cannot be used. {why}",
                hint="Tell an admin, or name another lake.",
            )
        return self._shelves[lake][1]

    def _reopen(self, renewed: Collection[str] = ()) -> None:
        """Open lakes that are new or have changed, and forget those that are gone."""
        wanted = {lake.name: lake for lake in self._lakes()}
        same = {name: each for name, each in self._shelves.items() if wanted.get(name) == each[0]}
        self._shelves, self._closed = same, {}
        for name, lake in wanted.items():
            shelf = same[name][1] if name in same else None
            if shelf and not shelf.problem and name not in renewed:
                continue
            try:
                objects = self._opening(lake)
                if shelf:
                    shelf.objects = objects  # its credentials may have been renewed
                else:
                    self._shelves[name] = (lake, Shelf(objects))
            except GpuQuotaError as error:
                self._closed[name] = " ".join([error.message, *(f.message for f in error.fields)])
