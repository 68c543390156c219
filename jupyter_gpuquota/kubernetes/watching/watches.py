"""All watches of a controller."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, TypeVar, cast

from ..api import Api, Fault
from ..labels import SESSION
from ..namespaces import visible
from ..objects.meta import Object
from ..resources import NAMESPACES, Resource
from .cache import Cache
from .kind_watch import ALL, KindWatch
from .reflector import Clock, Reflector

T = TypeVar("T", bound=Object)


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
