"""What differs between two versions, read from both manifests at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

import msgspec

from . import paths
from .entries import Entry

Change = Literal["added", "removed", "changed"]


class Difference(msgspec.Struct, frozen=True):
    """One path that differs; `before` is None if it was added, `after` if it was removed."""

    before: Entry | None
    after: Entry | None

    @property
    def change(self) -> Change:
        """Whether the path was added, removed or changed."""
        if self.before is None:
            return "added"
        return "removed" if self.after is None else "changed"

    @property
    def path(self) -> str:
        """The path, the same on both sides."""
        entry = self.after or self.before
        return entry.path if entry else ""


def compare(before: Iterable[Entry], after: Iterable[Entry]) -> Iterator[Difference]:
    """Yield the differences of two sorted lists of entries, in order, in constant memory."""
    old, new = iter(before), iter(after)
    left, right = next(old, None), next(new, None)
    while left or right:
        order = _order(left, right)
        if order < 0:
            yield Difference(left, None)
        elif order > 0:
            yield Difference(None, right)
        elif left != right:
            yield Difference(left, right)
        left = next(old, None) if order <= 0 else left
        right = next(new, None) if order >= 0 else right


def _order(left: Entry | None, right: Entry | None) -> int:
    """Return which side comes first: negative for the left one, 0 for both."""
    if left is None or right is None:
        return 1 if left is None else -1
    one, other = paths.sort_key(left.path), paths.sort_key(right.path)
    return (one > other) - (one < other)
