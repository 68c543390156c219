"""Keeping a cache up to date with one namespace of the server, or with all of them."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Generic, TypeVar

from ..api import Api, Change, Fault
from ..objects.meta import Object
from ..resources import Resource
from .cache import Cache, Key

SHORTEST = 0.5
LONGEST = 30.0


def delay(failures: int, asked: float, chance: float) -> float:
    """Return seconds to wait after so many failures in a row, doubled by each up to a limit.

    `asked` is what the server asks for. A random part, from `chance` between 0 and 1, keeps many
    clients from coming back at the same moment.
    """
    longest = min(LONGEST, SHORTEST * (1 << min(failures - 1, 10)))
    return max(asked, longest * (0.5 + chance / 2))


T = TypeVar("T", bound=Object)

_FORBIDDEN, _UNKNOWN, _GONE = 403, 404, 410
ASK_AGAIN = 60.0
"""Seconds until it is tried again to read what was forbidden, or does not exist."""
_DOUBTS = 5
"""How often a refusal is doubted after a lost connection: a server that starts answers before it
has read the roles, and refuses everything."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Scope:
    """Which objects are watched: those of a namespace, or of all, that match a label selector."""

    namespace: str = ""
    labels: str = ""


@dataclass(frozen=True, slots=True)
class Clock:
    """Time, which tests replace."""

    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep


class Reflector(Generic[T]):
    """Repeats what the server says in a cache, over any number of connections.

    `ready` is set once the first answer is complete, be it that reading is forbidden. `fault` is
    why it is out of date now, and `since` when it was last up to date. `turned` is called when
    reading is refused or allowed: who owns the cache then forgets what may no longer be seen.
    """

    def __init__(
        self,
        api: Api,
        resource: Resource[T],
        scope: Scope,
        cache: Cache[T],
        clock: Clock,
        turned: Callable[[Reflector[T]], None],
    ) -> None:
        self._api = api
        self._resource = resource
        self._scope = scope
        self._cache = cache
        self._clock = clock
        self._turned = turned
        self._version = ""
        self._heard = clock.now()
        self._failures = self._doubts = 0
        self._progress = False
        self.ready = asyncio.Event()
        self.fault: Fault | None = None
        self.since: datetime | None = None

    @property
    def namespace(self) -> str:
        """The namespace that is read, empty for all of them."""
        return self._scope.namespace

    @property
    def forbidden(self) -> bool:
        """Whether the server refuses to show these objects, or does not know their kind."""
        return self.refused or (self.fault is not None and self.fault.status == _UNKNOWN)

    @property
    def refused(self) -> bool:
        """Whether the server refuses to show these objects, and this is not doubted."""
        decided = self.since is None
        return decided and self.fault is not None and self.fault.status == _FORBIDDEN

    async def run(self) -> None:
        """Keep the cache up to date until cancelled."""
        while True:
            self._progress = False
            try:
                await self._follow()
                fault = None
            except Fault as caught:
                fault = caught
            except Exception as error:
                log.exception("The watch of %s failed", self._resource.plural)
                fault = Fault(0, "", f"{type(error).__name__} while it was read")
            await self._pause(fault)

    async def _follow(self) -> None:
        """Repeat changes until the connection ends; without a version first all objects."""
        scope = self._scope
        fresh: dict[Key, T] | None = None if self._version else {}
        watch = self._api.watch(self._resource, scope.namespace, scope.labels, self._version)
        async with aclosing(watch) as changes:
            async for change in changes:
                self._heard = self._clock.now()
                if fresh is None:
                    self._repeat(change)
                elif change.type == "BOOKMARK":
                    # All objects are here. What the cache has besides was deleted meanwhile.
                    if change.initial:
                        self._cache.replace(scope.namespace, fresh)
                        self._version, fresh = change.version, None
                        self._cache.reached(scope.namespace, self._version)
                        self._connected()
                else:
                    self._collect(fresh, change)

    def _collect(self, fresh: dict[Key, T], change: Change[T]) -> None:
        """Add a change to the objects that are there; what is unreadable stays as it was."""
        item = change.object or self._cache.get(*change.key)
        if change.type == "DELETED":
            fresh.pop(change.key, None)
        elif item is not None:
            fresh[change.key] = item

    def _repeat(self, change: Change[T]) -> None:
        self._version = change.version or self._version
        if change.type == "DELETED":
            self._cache.remove(change.key)
        elif change.object is not None:  # what is unreadable stays as it was
            self._cache.put(change.object)
        self._cache.reached(self._scope.namespace, self._version)
        self._connected()

    def _connected(self) -> None:
        self._progress, self._failures, self._doubts = True, 0, 0
        recovered = self.fault is not None
        self.fault, self.since = None, None
        if recovered or not self.ready.is_set():
            self.ready.set()
            self._turned(self)
            self._cache.notify()

    async def _pause(self, fault: Fault | None) -> None:
        """Wait as long as the end of a connection demands; `fault` is None for an ordinary one."""
        if fault is None:
            if self._progress:
                return
            fault = Fault(0, "", "the watch ended at once")
            self._failures += 1
        elif fault.status == _GONE:
            # The server has forgotten our version. The old objects stay until all are read anew.
            self._version = ""
            self._failures += 1
            if self._failures == 1:
                return
        elif self.since is not None and fault.status == _FORBIDDEN and self._doubts < _DOUBTS:
            self._doubts += 1
            self._lost(fault)
            await self._clock.sleep(delay(self._doubts, fault.wait, random.random()))  # noqa: S311
            return
        elif fault.status in (_FORBIDDEN, _UNKNOWN):
            self._refuse(fault)
            await self._clock.sleep(ASK_AGAIN * (0.5 + random.random() / 2))  # noqa: S311
            return
        else:
            self._failures += 1
            self._lost(fault)
        await self._clock.sleep(delay(self._failures, fault.wait, random.random()))  # noqa: S311

    def _refuse(self, fault: Fault) -> None:
        self._version, self._doubts = "", 0
        self._cache.reached(self._scope.namespace, "")
        self.fault, self.since = fault, None
        self._turned(self)
        self.ready.set()
        self._cache.notify()

    def _lost(self, fault: Fault) -> None:
        if silent := fault.reason == "Timeout":
            # Perhaps our version is of a future that a restored server does not know.
            self._version = ""
        first, self.fault = self.fault is None, fault
        self.since = self.since or (self._heard if silent else self._clock.now())
        if first:
            self._cache.notify()
