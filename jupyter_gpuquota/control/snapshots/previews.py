"""What is on this machine now: what a snapshot would store, and what is installed."""

from __future__ import annotations

import logging
import subprocess
import time
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import msgspec

from ...model.snapshots.manifest import EnvironmentPart
from ...model.snapshots.orders import SnapshotOrder
from ...model.snapshots.snapshots import LeftOut, SnapshotPreview
from ...store.exclusion import Rules
from ...store.snapshots import SessionFolder
from . import installed
from .git import origin

_log = logging.getLogger(__name__)
PATIENCE = 1.5
"""Seconds for which files are counted."""
_REMEMBERED = 10.0
"""Seconds for which an answer may be used again: a plan is asked for with each letter typed."""
_NAMED = 20
"""Paths that are named at most."""


def preview(order: SnapshotOrder, patience: float = PATIENCE) -> SnapshotPreview:
    """Return the number and size of the files, and what is left out. Blocks."""
    until = time.monotonic() + patience
    files = size = 0
    complete = True
    left: dict[str, str] = {}
    for below, folder in _folders(order):
        counted, is_all = folder.preview(until)
        files, size = files + counted.files, size + counted.bytes
        complete = complete and is_all
        left |= {f"{below}{path}": why for path, why in folder.left_out.items()}
    named = [LeftOut(path=path, why=left[path]) for path in sorted(left)[:_NAMED]]
    return SnapshotPreview(
        files=files,
        size=size,
        complete=complete,
        left_out=tuple(named),
        all_left_out=len(left),
    )


def environment(prefix: str) -> EnvironmentPart | None:
    """Return what is installed in a Python prefix, None where that cannot be read. Blocks."""
    python = installed.python_of(prefix)
    if not Path(python).exists():
        return None
    places = [*Path(prefix).glob("lib*/python3*/site-packages"), Path(prefix, "conda-meta")]
    stamps = tuple(each.stat().st_mtime_ns for each in places if each.is_dir())
    return _installed(python, stamps, time.monotonic() // _REMEMBERED)


@lru_cache(maxsize=32)
def _installed(python: str, _stamps: tuple[int, ...], _period: float) -> EnvironmentPart | None:
    """Return what a Python has installed; the stamps change with each installation."""
    try:
        return msgspec.convert(installed.packages(python, origin), EnvironmentPart)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        _log.info("%s does not say what is installed: %s", python, error)
        return None


def _folders(order: SnapshotOrder) -> Iterator[tuple[str, SessionFolder]]:
    """Yield the folders to store, and what precedes the paths in each."""
    rules = Rules(order.patterns, order.own)
    nowhere = Path()  # nothing is copied
    yield "", SessionFolder(Path(order.folder), nowhere, order.exclude, rules=rules)
    for each in order.mounted:
        if not each.problem:
            below = f"{each.path.lstrip('/')}/"
            yield below, SessionFolder(Path(each.folder), nowhere, rules=rules)
