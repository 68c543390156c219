"""The note by which a newer version announces that it takes over a state folder.

It is written before an older controller is asked to exit. Until the newer controller holds the
lock, clients of an older version do not start one: it would be replaced again at once.
"""

from __future__ import annotations

import time

import msgspec

from .. import __version__
from ..control.storage.files import write_file, writing
from ..model.about import API_VERSION
from .locate import Location

LASTS = 20.0
"""Seconds for which a note is valid, so that a failed start does not block others."""


class Version(msgspec.Struct, frozen=True):
    """A version of this product, in the format that all versions use."""

    version: str
    api: int

    def is_newer_than(self, other: Version) -> bool:
        """Return whether this version is newer; False if they are not comparable."""
        if self.api != other.api:
            return self.api > other.api
        if self.version == other.version:
            return False
        from packaging import version  # noqa: PLC0415 (rarely needed)

        try:
            return version.parse(self.version) > version.parse(other.version)
        except version.InvalidVersion:
            return False


OURS = Version(__version__, API_VERSION)


def announce(location: Location) -> None:
    """Write the note that this version takes over. Raises StorageFailed."""
    with writing(location.successor):
        write_file(location.successor, msgspec.json.encode(OURS))


def newer(location: Location) -> str:
    """Return the newer version that is taking over, empty if none is."""
    try:
        age = time.time() - location.successor.stat().st_mtime
        found = msgspec.json.decode(location.successor.read_bytes(), type=Version)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return ""
    return found.version if abs(age) < LASTS and found.is_newer_than(OURS) else ""


def settle(location: Location) -> None:
    """Remove the note: this version has taken over."""
    location.successor.unlink(missing_ok=True)
