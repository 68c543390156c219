"""One entry of a version: a file, an empty folder or a symbolic link."""

from __future__ import annotations

from typing import Literal

import msgspec

Mode = Literal["100644", "100755", "120000", "040000"]
"""File, executable file, symbolic link, folder; the words are those of Git trees."""

FILE: Mode = "100644"
EXECUTABLE: Mode = "100755"
LINK: Mode = "120000"
FOLDER: Mode = "040000"

EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
"""The sha256 of no bytes; such files are stored nowhere."""


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
