"""The watch of one kind, in all namespaces at once or in each of some."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
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
    """The watch of one kind: a cache, and one reflector for all namespaces or for each of some.

    Where all of them are refused, those that `others` names, and those of which something was seen,
    are watched one by one until all are allowed. Objects are kept while this changes: one that is
    missed for a moment would count as deleted.
    """

    def __init__(
        self,
        api: Api,
        resource: Resource[T],
        labels: str,
        cache: Cache[T],
        clock: Clock,
        others: Callable[[], Collection[str]],
    ) -> None:
        self.cache = cache
        self._api = api
        self.resource = resource
        self._labels = labels
        self._clock = clock
        self._others = others
        self._running: dict[str, tuple[Reflector[T], asyncio.Task[None]]] = {}

    @property
    def reflectors(self) -> list[Reflector[T]]:
        """The reflectors, one for each namespace."""
        return [reflector for reflector, _ in self._running.values()]

    @property
    def forbidden(self) -> bool:
        """Whether nothing of this kind can be read, for want of rights or of the kind."""
        return bool(self._running) and all(each.forbidden for each in self.reflectors)

    def forbids(self, namespace: str) -> bool:
        """Return whether nothing of this kind can be read in a namespace."""
        found = [self._running[name][0] for name in (ALL, namespace) if name in self._running]
        return all(each.forbidden for each in found)

    def watch(self, namespaces: Collection[str]) -> None:
        """Watch these namespaces and no others; `ALL` stands for all of them at once."""
        for name in self._running.keys() - set(namespaces):
            reflector, task = self._running.pop(name)
            task.cancel()
            reflector.ready.set()
        for name in set(namespaces) - self._running.keys():
            scope = Scope(name, self._labels)
            reflector = Reflector(
                self._api, self.resource, scope, self.cache, self._clock, self._turned
            )
            self._running[name] = (reflector, asyncio.ensure_future(reflector.run()))

    def follow(self) -> None:
        """Watch namespaces one by one as long as watching all of them is refused."""
        if ALL not in self._running:
            return
        everywhere = self._running[ALL][0]
        if everywhere.refused:
            seen = {item.metadata.namespace for item in self.cache.values()}
            self.watch({ALL, *self._others(), *seen})
        else:
            self.watch({ALL})
        if everywhere.forbidden:
            self._forget()

    async def close(self) -> None:
        """Stop watching; the cache stays as it is."""
        tasks = [task for _, task in self._running.values()]
        self._running.clear()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _turned(self, reflector: Reflector[T]) -> None:
        if reflector.namespace == ALL:
            self.follow()
        elif reflector.forbidden:
            self.cache.replace(reflector.namespace, {})

    def _forget(self) -> None:
        """Forget the objects that nobody watches."""
        watched = self._running.keys() - {ALL}
        items = self.cache.values()
        kept = {item.key: item for item in items if item.metadata.namespace in watched}
        self.cache.replace(ALL, kept)
