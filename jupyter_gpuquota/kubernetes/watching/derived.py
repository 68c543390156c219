"""What is computed from caches, and kept until one of them changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Derived(Generic[T]):
    """A value that is computed from caches. Read in any thread, outdated in the event loop.

    Caches may change while it is computed in another thread; what was read of them by halves is
    not kept then.
    """

    def __init__(self, compute: Callable[[], T]) -> None:
        self._compute = compute
        self._changes = 0
        self._kept: tuple[int, T] | None = None

    @property
    def value(self) -> T:
        """The value, computed anew if something has changed."""
        kept, changes = self._kept, self._changes
        if kept is None or kept[0] != changes:
            kept = self._kept = changes, self._compute()
        return kept[1]

    def outdate(self) -> None:
        """Note that something has changed."""
        self._changes += 1
