"""One line of a manifest: an entry and its location as JSON.

::

    {"path":"train/1.png","mode":"100644","size":2900,"sha256":"…","pack":"…","offset":5800}
    {"path":"train/all.bin","mode":"100644","size":99000000,"sha256":"…","parts":["…","…"]}
    {"path":"train/latest","mode":"120000","target":"1.png"}
    {"path":"dHJhaW4v6Q==","raw":true,"mode":"040000"}

If a path or a link's target is not UTF-8, both are base64 of their bytes, and `raw` is true.
"""

from __future__ import annotations

import base64
import os

import msgspec

from ..errors import Damaged
from .entries import NOWHERE, Entry, Location


class _Line(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """One line as it is written; the order of its fields belongs to the format."""

    path: str
    raw: bool = False
    mode: str = ""
    size: int = 0
    sha256: str = ""
    target: str = ""
    pack: str = ""
    offset: int = 0
    parts: tuple[str, ...] = ()


_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(_Line)


def encode(entry: Entry, location: Location = NOWHERE) -> bytes:
    """Return the line of an entry, without the line break."""
    return located(of_entry(entry), location)


def of_entry(entry: Entry) -> bytes:
    """Return the line of an entry without its location."""
    raw = not (_is_utf8(entry.path) and _is_utf8(entry.target))
    spell = _base64 if raw else str
    line = _Line(
        path=spell(entry.path),
        raw=raw,
        mode=entry.mode,
        size=entry.size,
        sha256=entry.sha256,
        target=spell(entry.target),
    )
    return _encoder.encode(line)


def located(line: bytes, location: Location) -> bytes:
    """Return the line of an entry with its location, whose fields are the last ones."""
    if location is NOWHERE:
        return line
    added = _encoder.encode(location)
    return line if added == b"{}" else line[:-1] + b"," + added[1:]


def decode(text: bytes) -> tuple[Entry, Location]:
    """Return the entry and location of a line.

    :raises Damaged: the line is malformed.
    """
    try:
        line = _decoder.decode(text)
        spell = _of_base64 if line.raw else str
        entry = Entry(
            path=spell(line.path),
            mode=line.mode,  # type: ignore[arg-type]  # checked by the manifest's rules
            size=line.size,
            sha256=line.sha256,
            target=spell(line.target),
        )
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise Damaged(f"A line of the manifest is malformed: {error}.") from error
    return entry, Location(pack=line.pack, offset=line.offset, parts=line.parts)


def _is_utf8(text: str) -> bool:
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _base64(text: str) -> str:
    return base64.b64encode(os.fsencode(text)).decode()


def _of_base64(text: str) -> str:
    return os.fsdecode(base64.b64decode(text, validate=True))
