"""Replacing damaged files of cached versions. All functions block."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from .. import manifest
from ..disk import clone
from ..entries import FOLDER
from ..paths import printable
from . import records
from .check import Fault
from .places import Place, places

_OPEN = 0o755
_CLOSED = 0o555


class Quarantined(msgspec.Struct, frozen=True):
    """What is beside a file in quarantine: the path that it had, and why it is there."""

    path: str
    why: str


def replace(place: Place, fault: Fault, fetched: Path) -> None:
    """Move a damaged path to the quarantine, and what was fetched into its place.

    Names of the damaged file in other versions are replaced, too. Raises OSError.
    """
    target = place.tree / fault.path
    if not fault.wanted and not os.path.lexists(target):
        return  # it lay in a folder that is in quarantine already
    sharing = list(_sharing(place, fault)) if fault.wanted else []
    with _writable(place.tree, target.parent):
        if os.path.lexists(target):
            _set_aside(place, target, fault)
        if fault.wanted:
            (fetched / fault.path).rename(target)
            if fault.wanted[0].mode == FOLDER:
                target.chmod(_CLOSED)
    for tree, path in sharing:
        _relink(target, tree, path)


def _set_aside(place: Place, target: Path, fault: Fault) -> None:
    name = uuid.uuid4().hex
    note = Quarantined(printable(fault.path), fault.why)
    records.write(place.side / "quarantine" / f"{name}.json", note)
    if target.is_dir() and not target.is_symlink():
        target.chmod(_OPEN)  # else it cannot be moved
    target.rename(place.side / "quarantine" / name)


def _sharing(place: Place, fault: Fault) -> Iterator[tuple[Path, Path]]:
    """Yield the tree and the path of every other name of a damaged file in cached versions."""
    damaged = place.tree / fault.path
    if not (fault.wanted and damaged.is_file() and damaged.stat().st_nlink > 1):
        return
    entry, stats = fault.wanted[0], damaged.stat()
    for other in places(place.root):
        if not other.is_cached:
            continue
        for each, _ in manifest.read(other.manifest.read_bytes()):
            path = other.tree / each.path
            if each.sha256 != entry.sha256 or path == damaged:
                continue
            if path.is_file() and path.stat().st_ino == stats.st_ino:
                yield other.tree, path


def _relink(source: Path, tree: Path, path: Path) -> None:
    """Give a repaired file the name of a damaged one."""
    new = tree.parent / f".{uuid.uuid4().hex}.tmp"
    if clone.hardlink(source, new):
        with _writable(tree, path.parent):
            new.rename(path)


@contextmanager
def _writable(tree: Path, folder: Path) -> Iterator[None]:
    """Allow changes in a folder of a tree, which is made if it is missing."""
    inner = [each for each in (folder, *folder.parents) if each.is_relative_to(tree)]
    for each in reversed(inner):
        with suppress(FileNotFoundError):
            each.chmod(_OPEN)
    folder.mkdir(parents=True, exist_ok=True)
    try:
        yield
    finally:
        for each in inner:
            with suppress(FileNotFoundError):
                each.chmod(_CLOSED)
