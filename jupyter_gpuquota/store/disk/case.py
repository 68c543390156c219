"""File systems that ignore case, and versions that they cannot hold."""

from __future__ import annotations

import itertools
import uuid
from collections.abc import Iterable
from pathlib import Path

from ...errors import FieldError, InvalidFields
from ..paths import clashes, printable

_NAMED = 20
"""Pairs of paths that an error names at most."""


def ignores_case(folder: Path) -> bool:
    """Return whether two names in a folder are one if they differ in case only."""
    probe = folder / f".case-{uuid.uuid4().hex}"
    probe.touch()
    try:
        return probe.with_name(probe.name.upper()).exists()
    finally:
        probe.unlink()


def refuse_clashes(paths: Iterable[str]) -> None:
    """Raise InvalidFields if two of some paths are one where case is ignored."""
    found = list(itertools.islice(clashes(paths), _NAMED))
    if found:
        raise InvalidFields(
            "This file system ignores case, and takes paths of this version for the same.",
            hint="Use another file system, or rename them and sync the dataset again.",
            fields=tuple(
                FieldError(printable(path), f"It is the same as {printable(other)}.")
                for other, path in found
            ),
        )
