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
_LONGEST = 16 << 20
"""Bytes in a line: the parts of a file of 15 TiB."""
_RATIO = 200
"""How many times larger a manifest may be than its compressed bytes; most are 5 times."""
_LARGEST = 1 << 53
"""The size of a file that all readers of JSON can count."""

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
        # What lies below a path may come after its siblings ("a", "a-b", "a/c"): so these are all
        # paths that the next one may begin with, each a beginning of the one after it.
        self._begun: list[bytes] = []
        self._lengths: set[int] = set()

    def check(self, entry: Entry, location: Location) -> None:
        """Raise Damaged if an entry breaks a rule, or cannot follow the last one."""
        key = paths.sort_key(entry.path)
        if why := paths.problem(entry.path) or _problem(entry, location):
            raise Damaged(f"{entry.path!r} cannot be in a version: {why}.")
        if key <= self._last:
            raise Damaged(f"{entry.path!r} is not in order, or twice in the manifest.")
        self._last = key
        while self._begun and not key.startswith(self._begun[-1]):
            self._lengths.remove(len(self._begun.pop()))
        if self._lengths and any(end in self._lengths for end in _ends(key)):
            raise Damaged(f"{entry.path!r} lies below something that is not a folder.")
        self._begun.append(key)
        self._lengths.add(len(key))


def _ends(key: bytes) -> Iterator[int]:
    """Yield the lengths of the folders of a path."""
    end = key.find(b"/")
    while end >= 0:
        yield end
        end = key.find(b"/", end + 1)


def _problem(entry: Entry, location: Location) -> str:
    if entry.mode == LINK:
        return paths.link_problem(entry.path, entry.target)
    if entry.mode == FOLDER:
        return ""
    if not entry.is_file:
        return "its mode is unknown"
    if not 0 <= entry.size <= _LARGEST or not _is_hash(entry.sha256):
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
    """Yield the lines of a compressed text, of which a block and a line are in memory.

    What was written to keep a reader busy is refused: endless lines, and text that inflates much.
    """
    begun: list[bytes] = []
    length = 0
    for block in _inflated(chunks):
        first, *others = block.split(b"\n")
        begun.append(first)
        length += len(first)
        if length > _LONGEST:
            raise Damaged(f"A line of the manifest is longer than {_LONGEST >> 20} MiB.")
        if others:
            *whole, rest = others
            yield b"".join(begun)
            yield from whole
            begun, length = [rest], len(rest)
    if length:
        raise Damaged("The manifest does not end where it should.")


def _inflated(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield a compressed text in blocks."""
    inflate, after = zlib.decompressobj(wbits=31), b""
    given = made = 0
    try:
        for piece in _pieces(chunks):
            left, after = (b"", piece) if inflate.eof else (piece, b"")
            given += len(piece)
            while left and not inflate.eof:
                block = inflate.decompress(left, _BLOCK)
                left = inflate.unconsumed_tail
                made += len(block)
                if made > _RATIO * given + _BLOCK:
                    raise Damaged(f"The manifest is more than {_RATIO} times its compressed size.")
                yield block
            if after:
                break
        yield inflate.flush()
    except zlib.error as error:
        raise Damaged(f"The manifest is malformed: {error}.") from error
    if after or inflate.unused_data or not inflate.eof:
        raise Damaged("The manifest does not end where it should.")


def _pieces(chunks: Iterable[bytes]) -> Iterator[bytes]:
    for chunk in chunks:
        for start in range(0, len(chunk), _BLOCK):
            yield chunk[start : start + _BLOCK]
