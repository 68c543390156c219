"""The watch of one kind, in all namespaces at once or in each of some."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Generic, TypeVar

from ..api import Api
from ..objects.meta import Object
from ..resources import Resource
from .cache import Cache
from .reflector import Clock, Reflector, Scope

T = TypeVar("T", bound=Object)

ALL = ""
"""In place of a namespace: all of them at once."""


class KindWatch(Generic[T]):
    """The watch of one kind: a cache, and one reflector for all namespaces or for each of some."""

    def __init__(
        self, api: Api, resource: Resource[T], labels: str, cache: Cache[T], clock: Clock
    ) -> None:
        self.cache = cache
        self._api = api
        self.resource = resource
        self._labels = labels
        self._clock = clock
        self._running: dict[str, tuple[Reflector[T], asyncio.Task[None]]] = {}

    @property
    def reflectors(self) -> list[Reflector[T]]:
        """The reflectors, one for each namespace."""
        return [reflector for reflector, _ in self._running.values()]

    @property
    def forbidden(self) -> bool:
        """Whether nothing of this kind can be read, for want of rights or of the kind."""
        return bool(self._running) and all(each.forbidden for each in self.reflectors)

    @property
    def everywhere(self) -> bool:
        """Whether one reflector watches all namespaces."""
        return ALL in self._running

    def watch(self, namespaces: Sequence[str]) -> None:
        """Watch these namespaces and no others; `ALL` stands for all of them at once."""
        wanted = set(namespaces)
        for name in self._running.keys() - wanted:
            reflector, task = self._running.pop(name)
            task.cancel()
            reflector.ready.set()
            self.cache.replace(name, {})
        for name in wanted - self._running.keys():
            scope = Scope(name, self._labels)
            reflector = Reflector(self._api, self.resource, scope, self.cache, self._clock)
            self._running[name] = (reflector, asyncio.ensure_future(reflector.run()))

    async def close(self) -> None:
        """Stop watching; the cache stays as it is."""
        tasks = [task for _, task in self._running.values()]
        self._running.clear()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
