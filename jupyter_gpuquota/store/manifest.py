"""Manifests: the entries of a version, sorted, one line each, compressed.

The id of a version is the sha256 of its lines without `pack`, `offset` and `parts`: the same folder
has the same id in every lake, and keeps it when a lake is packed anew.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable, Iterator

from ..errors import Damaged
from . import lines, paths
from .entries import FOLDER, LINK, NOWHERE, Entry, Location

_BLOCK = 256 << 10

HEX = 64
"""Digits of a sha256."""


class Writer:
    """Compresses a manifest line by line, and computes the version's id."""

    def __init__(self) -> None:
        self._deflate = zlib.compressobj(level=6, wbits=31)
        self._digest = hashlib.sha256()
        self._order = _Order()

    def add(self, entry: Entry, location: Location = NOWHERE) -> bytes:
        """Return the next compressed bytes.

        :raises Damaged: the entry breaks a rule of manifests, or the order.
        """
        self._order.check(entry, location)
        line = lines.of_entry(entry)
        self._digest.update(line + b"\n")
        return self._deflate.compress(lines.located(line, location) + b"\n")

    def finish(self) -> bytes:
        """Return the last compressed bytes."""
        return self._deflate.flush()

    @property
    def version(self) -> str:
        """The id of the version that was added up to now."""
        return self._digest.hexdigest()


def encode(entries: Iterable[tuple[Entry, Location]]) -> tuple[str, bytes]:
    """Return the id and the compressed manifest of sorted entries."""
    writer = Writer()
    body = b"".join([writer.add(*each) for each in entries])
    return writer.version, body + writer.finish()


def decode(chunks: Iterable[bytes], version: str = "") -> Iterator[tuple[Entry, Location]]:
    """Yield the entries of a compressed manifest, each one checked.

    :raises Damaged: a line is malformed or breaks a rule, or, after the last line, the id is not
        that of `version`.
    """
    digest, order = hashlib.sha256(), _Order()
    for text in _lines(chunks):
        entry, location = lines.decode(text)
        order.check(entry, location)
        digest.update(lines.encode(entry) + b"\n")
        yield entry, location
    if version and digest.hexdigest() != version:
        raise Damaged(f"The manifest is not that of version {version[:12]}.")


def read(body: bytes) -> Iterator[tuple[Entry, Location]]:
    """Yield the entries of a compressed manifest that this machine has checked before.

    :raises Damaged: a line is malformed.
    """
    yield from map(lines.decode, _lines([body]))


class _Order:
    """The rules of manifests that concern each entry and those before it."""

    def __init__(self) -> None:
        self._last = b""
        self._blocking: list[bytes] = []

    def check(self, entry: Entry, location: Location) -> None:
        """Raise Damaged if an entry breaks a rule, or cannot follow the last one."""
        key = paths.sort_key(entry.path)
        if why := paths.problem(entry.path) or _problem(entry, location):
            raise Damaged(f"{entry.path!r} cannot be in a version: {why}.")
        if key <= self._last:
            raise Damaged(f"{entry.path!r} is not in order, or twice in the manifest.")
        self._last = key
        # What lies below a path may come after its siblings ("a", "a-b", "a/c"): those of which
        # `key` is not an extension any more are done with.
        self._blocking = [each for each in self._blocking if key.startswith(each)]
        if any(key.startswith(each + b"/") for each in self._blocking):
            raise Damaged(f"{entry.path!r} lies below something that is not a folder.")
        self._blocking.append(key)


def _problem(entry: Entry, location: Location) -> str:
    if entry.mode == LINK:
        return paths.link_problem(entry.path, entry.target)
    if entry.mode == FOLDER:
        return ""
    if not entry.is_file:
        return "its mode is unknown"
    if entry.size < 0 or not _is_hash(entry.sha256):
        return "its size or hash is malformed"
    if location.offset < 0 or not all(map(_is_hash, location.parts)):
        return "its location is malformed"
    return "" if not location.pack or _is_hash(location.pack) else "its location is malformed"


def is_version(text: str) -> bool:
    """Return whether a text is the full id of a version."""
    return _is_hash(text)


def _is_hash(text: str) -> bool:
    return len(text) == HEX and not text.strip("0123456789abcdef")


def _lines(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the lines of a compressed text, of which a block at a time is in memory."""
    inflate, rest, after = zlib.decompressobj(wbits=31), b"", b""
    try:
        for piece in _pieces(chunks):
            left, after = (b"", piece) if inflate.eof else (piece, b"")
            while left and not inflate.eof:
                *whole, rest = (rest + inflate.decompress(left, _BLOCK)).split(b"\n")
                left = inflate.unconsumed_tail
                yield from whole
            if after:
                break
        *whole, rest = (rest + inflate.flush()).split(b"\n")
        yield from whole
    except zlib.error as error:
        raise Damaged(f"The manifest is malformed: {error}.") from error
    if rest or after or inflate.unused_data or not inflate.eof:
        raise Damaged("The manifest does not end where it should.")


def _pieces(chunks: Iterable[bytes]) -> Iterator[bytes]:
    for chunk in chunks:
        for start in range(0, len(chunk), _BLOCK):
            yield chunk[start : start + _BLOCK]
