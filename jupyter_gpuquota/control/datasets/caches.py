"""The port `Caches`, of a cache that the controller keeps itself."""

from __future__ import annotations

from ...errors import NotAllowed, NotFound
from ...model.datasets.caches import CacheAnswer, CachedVersion, CacheRoom, Pin
from ...model.datasets.versions import SHOWN, Version
from ...store.spawn import new_id
from .job_board import JobBoard
from .keeper import Keeper
from .launching import Launcher, Order
from .registry import Registry


class KeptCaches:
    """The versions in one cache."""

    def __init__(
        self, keeper: Keeper, board: JobBoard, registry: Registry, launcher: Launcher
    ) -> None:
        self._keeper = keeper
        self._board = board
        self._registry = registry
        self._launcher = launcher

    def all(self) -> tuple[CachedVersion, ...]:
        """Return all cached versions, with leases and pins."""
        return self._keeper.all()

    def room(self) -> CacheRoom:
        """Return how full the cache is."""
        return self._keeper.room()

    def folder(self) -> str:
        """Return the root of the cache on this machine, empty where it is elsewhere."""
        return str(self._keeper.cache.root or "")

    async def fetch(self, version: Version, user: str) -> CacheAnswer:
        """Return the cached copy, or start to fetch it.

        Raises Conflict where there is no room, NotAllowed where only a member's process reads the
        lake, Unavailable, StorageFailed.
        """
        await self._keeper.refresh()
        copy = self._keeper.find(version.dataset, version.id)
        if copy and copy.state in {"cached", "damaged"}:
            return CacheAnswer(copy=copy)
        if running := self._keeper.fetching(version.dataset, version.id):
            return CacheAnswer(copy=copy, job=running)
        lake = self._registry.place(version.dataset).lake
        if lake is None:
            raise NotAllowed(
                f"{version.dataset} is in a member's own lake, which the controller does not open.",
                hint=f"In a shell: jupyter gpu data cache {version.dataset}@{version.id[:SHOWN]}.",
            )
        order = Order(
            kind="cache",
            id=new_id(),
            user=user,
            lake=lake,
            dataset=version.dataset,
            version=version.id,
            files=version.files,
            size=version.size,
        )
        job = await self._board.start(order.job_report(), order.id, user)
        await self._launcher.start(order)
        return CacheAnswer(copy=self._keeper.find(version.dataset, version.id), job=job)

    async def clear(self, dataset: str, version: str) -> None:
        """Remove a cached copy, or cancel its fetch. Raises NotFound, InUse, StorageFailed."""
        if running := self._keeper.fetching(dataset, version):
            self._board.cancel(running.id)
            return
        await self._keeper.clear(dataset, version)

    async def pin(self, dataset: str, version: str, pin: Pin) -> CachedVersion:
        """Set the pin of a user. Raises NotFound, StorageFailed."""
        self._find(dataset, version)
        await self._keeper.cache.pin(dataset, version, pin)
        await self._keeper.refresh()
        return self._find(dataset, version)

    async def unpin(self, dataset: str, version: str, user: str) -> CachedVersion:
        """Remove the pin of a user. Raises NotFound, StorageFailed."""
        self._find(dataset, version)
        await self._keeper.cache.unpin(dataset, version, user)
        await self._keeper.refresh()
        return self._find(dataset, version)

    def _find(self, dataset: str, version: str) -> CachedVersion:
        found = self._keeper.find(dataset, version)
        if found is None:
            name = f"{dataset}@{version[:SHOWN]}"
            raise NotFound(
                f"{name} is not cached.", hint=f"Cache it first: jupyter gpu data cache {name}."
            )
        return found
