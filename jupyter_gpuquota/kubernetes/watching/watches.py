"""All watches of a controller."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence
from datetime import datetime
from typing import Any, Generic, TypeVar, cast

from ..api import Api, Fault
from ..labels import SESSION
from ..namespaces import visible
from ..objects.meta import Object
from ..resources import NAMESPACES, Resource
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


class Watches:
    """All watches of a controller. Everybody who reads a kind shares its cache.

    With `namespaces` exactly these are watched. Else all are, and where that is forbidden, those
    that may be listed, one by one, besides the one that the credentials name.
    """

    def __init__(
        self,
        api: Api,
        namespaces: Sequence[str] = (),
        clock: Clock | None = None,
    ) -> None:
        self._api = api
        self._namespaces = tuple(namespaces)
        self._clock = clock or Clock()
        self._kinds: dict[tuple[str, str], KindWatch[Any]] = {}
        self._follows = False
        self._started = False

    def cache(
        self, resource: Resource[T], labels: str = "", indexed: Sequence[str] = (SESSION,)
    ) -> Cache[T]:
        """Return the cache of a kind, or of its objects that match a label selector.

        Who asks first decides which labels are indexed. It fills once `start` was called.
        """
        key = (resource.path(), labels)
        if key not in self._kinds:
            others = self._known if resource.namespaced else tuple
            cache = Cache[T](indexed)
            kind = KindWatch(self._api, resource, labels, cache, self._clock, others)
            self._kinds[key] = kind
            if self._started:
                self._begin(kind)
        return cast("Cache[T]", self._kinds[key].cache)

    async def start(self) -> None:
        """Begin to watch; returns at once. What is asked for later is watched from then on."""
        self._started = True
        for kind in list(self._kinds.values()):
            self._begin(kind)

    async def close(self) -> None:
        """Stop watching; caches stay as they are."""
        self._started = False
        for kind in self._kinds.values():
            await kind.close()

    async def ready(self) -> None:
        """Wait until all caches are complete, or reading them is known to be forbidden."""
        while waiting := [each for each in self._reflectors() if not each.ready.is_set()]:
            await waiting[0].ready.wait()

    @property
    def since(self) -> datetime | None:
        """When the oldest cache was last up to date, None if all are."""
        return min((each.since for each in self._reflectors() if each.since), default=None)

    @property
    def fault(self) -> Fault | None:
        """Why a cache is out of date, None if all are up to date."""
        return next((each.fault for each in self._reflectors() if each.since), None)

    def forbidden(self, resource: Resource[Any], labels: str = "", namespace: str = "") -> bool:
        """Return whether nothing of a kind can be read, for want of rights or of the kind.

        With a namespace: whether nothing of it can be read there.
        """
        kind = self._kinds.get((resource.path(), labels))
        if kind is None:
            return False
        return kind.forbids(namespace) if namespace else kind.forbidden

    def refusal(self, resource: Resource[Any], labels: str = "") -> Fault | None:
        """Return why nothing of a kind can be read, None if something can."""
        kind = self._kinds.get((resource.path(), labels))
        return kind.reflectors[0].fault if kind is not None and kind.forbidden else None

    def _reflectors(self) -> list[Reflector[Any]]:
        return [each for kind in self._kinds.values() for each in kind.reflectors]

    def _begin(self, kind: KindWatch[Any]) -> None:
        one_by_one = kind.resource.namespaced and self._namespaces
        kind.watch(self._namespaces if one_by_one else (ALL,))

    def _known(self) -> Collection[str]:
        """Return the namespaces to watch one by one, and notice from then on when they change."""
        known = self.cache(NAMESPACES)
        if not self._follows:
            self._follows = True
            known.subscribe(lambda _: self._follow_namespaces())
        return visible(self._api, (each.metadata.name for each in known.values()))

    def _follow_namespaces(self) -> None:
        for kind in list(self._kinds.values()) if self._started else ():
            if kind.resource.namespaced:
                kind.follow()
