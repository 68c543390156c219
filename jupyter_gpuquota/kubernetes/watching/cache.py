"""The objects of one kind in memory, as last seen."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Generic, TypeVar

from ..labels import SESSION
from ..objects.meta import Object, version_number

T = TypeVar("T", bound=Object)
Key = tuple[str, str]
"""Namespace and name."""
Changed = Callable[[frozenset[Key]], None]
"""Called with the keys of objects that were added, changed or deleted; empty where only the
connection changed."""

log = logging.getLogger(__name__)


class Cache(Generic[T]):
    """The objects of one kind. Read in any thread, changed in the event loop only."""

    def __init__(self, indexed: Sequence[str] = (SESSION,)) -> None:
        self._indexed = indexed
        self._items: dict[Key, T] = {}
        self._index: defaultdict[tuple[str, str], dict[Key, T]] = defaultdict(dict)
        self._subscribers: list[Changed] = []
        self._reached: dict[str, int] = {}

    def get(self, namespace: str, name: str) -> T | None:
        """Return an object, None if there is none."""
        return self._items.get((namespace, name))

    def values(self, namespace: str = "") -> list[T]:
        """Return the objects of a namespace, or of all."""
        items = list(self._items.values())
        return [item for item in items if namespace in ("", item.metadata.namespace)]

    def owned_by(self, uid: str) -> list[T]:
        """Return the objects that an object owns."""
        return self._found("", uid)

    def labelled(self, key: str, value: str) -> list[T]:
        """Return the objects with a label; its key must be one of the indexed ones."""
        if key not in self._indexed:
            raise KeyError(key)
        return self._found(key, value)

    def subscribe(self, changed: Changed) -> Callable[[], None]:
        """Call a function in the event loop after each change; return what ends this."""
        self._subscribers.append(changed)
        return lambda: self._subscribers.remove(changed)

    def put(self, item: T) -> None:
        """Add or replace an object."""
        self._set(item.key, item)
        self.notify({item.key})

    def remove(self, key: Key) -> None:
        """Remove an object."""
        self._set(key, None)
        self.notify({key})

    def reached(self, namespace: str, version: str) -> None:
        """Note up to which version a watch has shown a namespace, or all; empty for not at all."""
        self._reached[namespace] = version_number(version)

    def answered(self, item: T) -> None:
        """Add or replace an object as a request returned it, if no watch has got that far yet.

        Answers and watches come over different connections, so an answer may come after what has
        happened to its object since. Nothing would ever correct the cache then. What is left out
        here was shown by a watch, or will be.
        """
        spaces = ("", item.metadata.namespace)
        if 0 < max(self._reached.get(each, 0) for each in spaces) < item.version:
            self.put(item)

    def gone(self, item: T) -> None:
        """Remove an object that a request did not find; one that took its name since stays."""
        known = self._items.get(item.key)
        if known is not None and known.metadata.uid == item.metadata.uid:
            self.remove(item.key)

    def replace(self, namespace: str, items: Mapping[Key, T]) -> None:
        """Replace all objects of a namespace, or of all."""
        before = {item.key: item for item in self.values(namespace)}
        changed = {key for key in before if key not in items}
        changed |= {
            key
            for key, item in items.items()
            if key not in before or _version(before[key]) != _version(item)
        }
        for key in changed:
            self._set(key, items.get(key))
        if changed:
            self.notify(changed)

    def notify(self, changed: Iterable[Key] = ()) -> None:
        """Call the subscribers."""
        keys = frozenset(changed)
        for subscriber in list(self._subscribers):
            try:
                subscriber(keys)
            except Exception:  # a bug of one reader must not end the watch for all
                log.exception("A subscriber failed")

    def _found(self, key: str, value: str) -> list[T]:
        found = self._index.get((key, value))
        return list(found.values()) if found else []

    def _set(self, key: Key, item: T | None) -> None:
        """Replace an object, or remove it; other threads see the old one or the new one."""
        old = self._items.get(key)
        left = self._entries(old) if old else set()
        if item is None:
            self._items.pop(key, None)
        else:
            self._items[key] = item
            for entry in (entries := self._entries(item)):
                self._index[entry][key] = item
            left -= entries
        for entry in left:
            del self._index[entry][key]
            if not self._index[entry]:
                del self._index[entry]

    def _entries(self, item: T) -> set[tuple[str, str]]:
        """Return what an object is found by: uids of its owners, under no key, and its labels."""
        meta = item.metadata
        owners = {("", owner.uid) for owner in meta.owner_references}
        return owners | {(key, meta.labels[key]) for key in self._indexed if key in meta.labels}


def _version(item: Object) -> tuple[str, str]:
    return item.metadata.uid, item.metadata.resource_version
