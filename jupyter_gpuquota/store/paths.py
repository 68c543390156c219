"""Which paths a version may contain.

Paths are relative, their parts joined by `/`, and any bytes that Linux allows in names; bytes that
are not UTF-8 are surrogates, as `os.fsdecode` returns them. The same rules hold when a manifest is
written and when it is read: a lake may have been written by anyone.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterable, Iterator

LONGEST_NAME = 255
"""Bytes in one part of a path, the limit of Linux file systems."""

_USUAL = re.compile(r"(?=.{1,255}$)[\w-][\w.-]*(?:/[\w-][\w.-]*)*", re.ASCII)
"""What needs no closer look: most paths."""

LONGEST_PATH = 4095 - LONGEST_NAME
"""Bytes in a path: PATH_MAX, less room for the folder that the version is unpacked in."""


def problem(path: str) -> str:
    """Return why a version cannot contain a path, or an empty string."""
    if _USUAL.fullmatch(path):
        return ""
    raw = os.fsencode(path)
    parts = raw.split(b"/")
    rules = (
        (not raw, "the path is empty"),
        (raw.startswith(b"/"), "the path is absolute"),
        (b"\0" in raw, "the path contains a NUL byte"),
        (len(raw) > LONGEST_PATH, f"the path is longer than {LONGEST_PATH} bytes"),
        (bool({b"", b".", b".."}.intersection(parts)), "the path has an empty part, `.` or `..`"),
        (
            max(map(len, parts)) > LONGEST_NAME,
            f"a part of the path is longer than {LONGEST_NAME} bytes",
        ),
    )
    return next((why for broken, why in rules if broken), "")


def link_problem(path: str, target: str) -> str:
    """Return why a version cannot contain a symbolic link, or an empty string.

    The target must stay inside the version's root. `..` is allowed at its beginning only: after a
    name it would be resolved where that name leads to, which may be another link.
    """
    if not target or "\0" in target:
        return "the link has no target"
    if target.startswith("/"):
        return "the link is absolute"
    parts = [part for part in target.split("/") if part not in {"", "."}]
    ups = next((i for i, part in enumerate(parts) if part != ".."), len(parts))
    if ".." in parts[ups:]:
        return "the link has `..` after a name"
    if ups > path.count("/"):
        return "the link leaves the version's folder"
    return ""


def printable(path: str) -> str:
    r"""Return a path as it can be shown: bytes that are not UTF-8 as `\xe9`."""
    return os.fsencode(path).decode(errors="backslashreplace")


def sort_key(path: str) -> bytes:
    """Return the key that manifests are sorted by: the path's bytes."""
    return path.encode() if path.isascii() else os.fsencode(path)


def clashes(paths: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield pairs of paths, or of their folders, that are one on a file system that ignores case.

    Such file systems also take different spellings of an accented letter for the same.
    """
    seen: dict[str, str] = {}
    for path in paths:
        for prefix in _prefixes(path):
            if (other := seen.setdefault(_folded(prefix), prefix)) != prefix:
                yield other, prefix
                break


def _prefixes(path: str) -> Iterator[str]:
    """Yield the folders of a path, the outermost first, and the path."""
    ends = [at for at, each in enumerate(path) if each == "/"]
    yield from (path[:end] for end in [*ends, len(path)])


def _folded(path: str) -> str:
    return unicodedata.normalize("NFD", unicodedata.normalize("NFD", path).casefold())
