"""Which notebooks of a volume are stored beside a snapshot, so that their cells can be compared.

Standard library only, and the syntax of Python 3.8: programs that run in pods carry this module.
"""

from __future__ import annotations

from typing import Dict, Iterable, Tuple  # noqa: UP035 (Python 3.8 in sessions)

from . import redaction

SUFFIX = ".ipynb"
SKIPPED = frozenset({".ipynb_checkpoints", ".git", "node_modules", "__pycache__"})
"""Folders whose notebooks are nobody's work."""
SIZE = 8 << 20
"""The most bytes of a notebook that is compared: outputs count."""
TOTAL = 64 << 20
"""The most bytes of all notebooks of a volume that are stored."""
MOST = 500
"""The most notebooks of a volume that are stored."""

TOO_LARGE = f"too large to compare: more than {SIZE >> 20} MiB"
_HIDDEN = "not stored: by its name it is a file of credentials or keys"
_OVER = f"not stored: its volume has more than {TOTAL >> 20} MiB or {MOST:,} of notebooks"

File = Tuple[str, int, str]  # noqa: UP006 (Python 3.8 in sessions)
"""The path of a file in its volume, its size in bytes and its sha256, empty for links."""
Choice = Tuple[Dict[str, str], Dict[str, str]]  # noqa: UP006 (Python 3.8 in sessions)
"""The paths of what is stored by sha256, and by path why others are not."""


def is_notebook(path: str) -> bool:
    """Return whether a file is a notebook that somebody works on, by its path."""
    *folders, name = path.split("/")
    return name.endswith(SUFFIX) and SKIPPED.isdisjoint(folders)


def choose(files: Iterable[File]) -> Choice:
    """Return which notebooks of a volume are stored: the smallest ones, each content once.

    It depends on the files only, not on their order: a pod and the controller choose the same.
    """
    stored, left = {}, {}  # type: Dict[str, str], Dict[str, str]
    total = 0
    found = (each for each in files if each[2] and is_notebook(each[0]))
    for path, size, digest in sorted(found, key=lambda each: (each[1], each[2], each[0])):
        if redaction.secret_path(path):
            left[path] = _HIDDEN
        elif size > SIZE:
            left[path] = TOO_LARGE
        elif digest in stored:
            continue
        elif total + size > TOTAL or len(stored) == MOST:
            left[path] = _OVER
        else:
            stored[digest] = path
            total += size
    return stored, left
