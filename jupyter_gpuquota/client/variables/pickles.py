"""Variables as pickles with out-of-band buffers, in pieces and in files.

Its source runs in kernels of other environments: it needs the standard library only. Whoever reads
a pickle runs its code, so only one's own are read.
"""

from __future__ import annotations

import json
import os
import pickle
import sys
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from types import FunctionType, ModuleType
from typing import Any

SUFFIX = ".pickle"
SKIPPED = "skipped.json"
_SMALL = 4096
"""Bytes of a buffer that is copied into its pickle: a part of its own would cost more."""


class TooLarge(ValueError):
    """The variables are larger than the limit."""


class _Bounded:
    """A file in memory that refuses to grow beyond a number of bytes."""

    def __init__(self, most: int) -> None:
        self.pieces: list[bytes] = []
        self.left = most

    def write(self, piece: Any) -> int:
        """Add bytes. Raises TooLarge."""
        self.take(len(piece))
        self.pieces.append(bytes(piece))
        return len(piece)

    def take(self, size: int) -> None:
        """Count bytes that are kept elsewhere. Raises TooLarge."""
        self.left -= size
        if self.left < 0:
            raise TooLarge


def pack(value: Any, most: int) -> list[memoryview]:
    """Return a variable as its pickle (protocol 5) and its buffers, which are not copied.

    Raises TooLarge for more than `most` bytes, and whatever its class raises.
    """
    file, buffers = _Bounded(most), []

    def aside(buffer: pickle.PickleBuffer) -> bool:
        try:
            raw = buffer.raw()
        except BufferError:  # not contiguous
            return True
        if raw.nbytes < _SMALL:
            return True
        file.take(raw.nbytes)
        buffers.append(raw)
        return False

    pickle.Pickler(file, 5, buffer_callback=aside).dump(value)
    return [memoryview(b"".join(file.pieces)), *buffers]


def unpack(parts: list[bytearray]) -> Any:
    """Return the variable of a pickle and its buffers, which become its memory."""
    return pickle.loads(parts[0], buffers=parts[1:])  # noqa: S301 (one's own: see the module)


def pieces(parts: Iterable[memoryview], most: int) -> Iterator[list[memoryview]]:
    """Yield the bytes of all parts in order, in lists of at most `most` bytes."""
    group: list[memoryview] = []
    room = most
    for part in parts:
        at = 0
        while at < part.nbytes:
            piece = part[at : at + room]
            group.append(piece)
            at, room = at + piece.nbytes, room - piece.nbytes
            if not room:
                yield group
                group, room = [], most
    if group:
        yield group


class Filling:
    """Parts of known sizes, filled by the pieces of `pieces`."""

    def __init__(self, sizes: Iterable[int]) -> None:
        self.parts = [bytearray(size) for size in sizes]
        self.left = sum(map(len, self.parts))
        self._part = self._at = 0

    def add(self, group: Iterable[Any]) -> None:
        """Add pieces. Raises ValueError for more bytes than there are places."""
        for piece in group:
            rest = memoryview(piece).cast("B")
            if rest.nbytes > self.left:
                raise ValueError("more bytes than were announced")
            self.left -= rest.nbytes
            while rest.nbytes:
                part = self.parts[self._part]
                size = min(rest.nbytes, len(part) - self._at)
                part[self._at : self._at + size] = rest[:size]
                rest, self._at = rest[size:], self._at + size
                if self._at == len(part):
                    self._part, self._at = self._part + 1, 0


def write_file(values: Mapping[str, Any], path: str) -> dict[str, str]:
    """Write variables to a new file that only this account reads.

    Each is pickled by itself. Returns why some cannot be, by name. Raises OSError.
    """
    skipped = {}
    os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)  # noqa: PTH103, PTH120 (text is sent)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with os.fdopen(handle, "wb") as file, zipfile.ZipFile(file, "w") as archive:
        for name, value in values.items():
            try:
                body = pickle.dumps(value, protocol=5)
            except Exception as error:  # noqa: BLE001 (whatever a class raises when it is pickled)
                skipped[name] = f"{type(value).__name__} cannot be pickled: {error}."
            else:
                archive.writestr(name + SUFFIX, body)
        archive.writestr(SKIPPED, json.dumps(skipped))
    return skipped


def read_file(path: str) -> Iterator[tuple[str, Any]]:
    """Yield the variables of a file: names, and values or the errors of reading them.

    Raises OSError, BadZipFile, and PermissionError for a file of another account.
    """
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    with os.fdopen(handle, "rb") as file:
        if os.fstat(handle).st_uid != os.getuid():
            raise PermissionError(1, "the file belongs to another account", path)
        with zipfile.ZipFile(file) as archive:
            for member in archive.namelist():
                if member.endswith(SUFFIX):
                    yield member[: -len(SUFFIX)], _value(archive.read(member))


def _value(body: bytes) -> Any:
    try:
        return pickle.loads(body)  # noqa: S301 (one's own: see the module)
    except Exception as error:  # noqa: BLE001 (whatever a class raises when it is read)
        return Unreadable(f"{type(error).__name__}: {error}")


class Unreadable:
    """Why a variable cannot be read here."""

    def __init__(self, reason: str) -> None:
        self.reason = reason


def overview(namespace: Mapping[str, Any], hidden: Iterable[str]) -> list[tuple[str, int]]:
    """Return names and approximate sizes in bytes of a user's variables, largest first.

    Functions, classes and modules are left out: running their cells again brings them back.
    """
    code, unseen = (FunctionType, ModuleType, type), set(hidden)
    found = [
        (name, _size(value))
        for name, value in list(namespace.items())
        if name not in unseen and not name.startswith("_") and not isinstance(value, code)
    ]
    return sorted(found, key=lambda each: -each[1])


def _size(value: Any) -> int:
    """Return the bytes of an array, else of the object itself."""
    try:
        return int(value.nbytes)
    except Exception:  # noqa: BLE001 (an attribute of any class)
        return sys.getsizeof(value, 0)
