"""One entry of a version: a file, an empty folder or a symbolic link."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

import msgspec

from . import paths

Mode = Literal["100644", "100755", "120000", "040000"]
"""File, executable file, symbolic link, folder; the words are those of Git trees."""

FILE: Mode = "100644"
EXECUTABLE: Mode = "100755"
LINK: Mode = "120000"
FOLDER: Mode = "040000"

EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
"""The sha256 of no bytes; such files are stored nowhere."""
Change = Literal["added", "removed", "changed"]


class Location(msgspec.Struct, frozen=True, omit_defaults=True):
    """Where the bytes of a file are in the lake: in a pack, or in objects of their own.

    `pack` and each of `parts` is the sha256 of an object; a file in a pack begins at `offset`.
    """

    pack: str = ""
    offset: int = 0
    parts: tuple[str, ...] = ()


NOWHERE = Location()
"""The location of what has no bytes: links, folders, empty files."""


class Entry(msgspec.Struct, frozen=True):
    """One path of a version.

    `size` is in bytes, `sha256` that of the content, in hexadecimal; both are empty for links and
    folders. `target` is the text of a link.
    """

    path: str
    mode: Mode = FILE
    size: int = 0
    sha256: str = ""
    target: str = ""

    @property
    def is_file(self) -> bool:
        """Whether it is a file."""
        return self.mode in {FILE, EXECUTABLE}

    @property
    def executable(self) -> bool:
        """Whether it is an executable file."""
        return self.mode == EXECUTABLE


Located = tuple[Entry, Location]
"""An entry, and where its bytes are."""


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
