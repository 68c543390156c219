"""Long tuples of which few elements change, mapped without mapping the others again."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

S = TypeVar("S")
T = TypeVar("T")


class Mapped(Generic[S, T]):
    """The elements of a tuple that is replaced as a whole, each mapped once."""

    def __init__(
        self,
        source: Callable[[], tuple[S, ...]],
        each: Callable[[S], T],
        key: Callable[[S], Hashable],
    ) -> None:
        self._source = source
        self._each = each
        self._key = key
        self._from: tuple[S, ...] | None = None
        self._result: tuple[T, ...] = ()
        self._known: dict[Hashable, tuple[S, T]] = {}

    def all(self) -> tuple[T, ...]:
        """Return the mapped tuple: the same one as long as the source is the same."""
        found = self._source()
        if found is not self._from:
            self._known = {self._key(each): self._pair(each) for each in found}
            self._from = found
            self._result = tuple(mapped for _, mapped in self._known.values())
        return self._result

    def _pair(self, item: S) -> tuple[S, T]:
        known = self._known.get(self._key(item))
        return known if known and known[0] is item else (item, self._each(item))
