"""Notebooks and chosen files of a folder, with their hashes."""

from __future__ import annotations

import hashlib
import json
import os
import time
from pathlib import Path
from typing import Any, Iterable, Iterator  # noqa: UP035 (Python 3.8 in sessions)

PATIENCE = 30.0
"""Seconds for which notebooks are looked for."""
_SKIPPED = frozenset({".ipynb_checkpoints", ".git", "node_modules", "__pycache__"})
"""Folders whose notebooks are nobody's work."""
_MOST = 1000
_LARGE = 64 << 20
_CHUNK = 1 << 20


def notebooks(root: Path, patience: float = PATIENCE) -> Iterator[dict[str, Any]]:
    """Yield the notebooks below a folder, as fields of a `NotebookPart`.

    What is no notebook has no cells. Raises TimeoutError after `patience` seconds, ValueError after
    very many notebooks.
    """
    deadline = time.monotonic() + patience
    count = 0
    for folder, names, files in os.walk(root):
        if time.monotonic() > deadline:
            raise TimeoutError(f"Only a part of the folder was seen in {patience:g} seconds.")
        names[:] = sorted(name for name in names if name not in _SKIPPED)
        for name in sorted(each for each in files if each.endswith(".ipynb")):
            path = Path(folder, name)
            if path.is_file() and not path.is_symlink():
                count += 1
                if count > _MOST:
                    raise ValueError(f"Only the first {_MOST:,} notebooks are recorded.")
                yield _notebook(path, str(path.relative_to(root)))


def files(root: Path, patterns: Iterable[str]) -> Iterator[dict[str, Any]]:
    """Yield the files that match any pattern, each once, as fields of a `FilePart`.

    Raises OSError.
    """
    found = {path for pattern in patterns for path in root.glob(pattern)}
    for path in sorted(found):
        if path.is_file() and not path.is_symlink():
            yield file_part(path, str(path.relative_to(root)))


def file_part(path: Path, name: str) -> dict[str, Any]:
    """Return a file with its hash, as fields of a `FilePart`. Raises OSError."""
    digest, size = hashlib.sha256(), 0
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
            size += len(chunk)
    return {"path": name, "size": size, "sha256": digest.hexdigest()}


def _notebook(path: Path, name: str) -> dict[str, Any]:
    part = file_part(path, name)
    cells = _cells(path) if part.pop("size") <= _LARGE else []
    code = [each for each in cells if each.get("cell_type") == "code"]
    ran = [each for each in code if each.get("execution_count")]
    return {**part, "cells": len(code), "executed": len(ran)}


def _cells(path: Path) -> list[dict[str, object]]:
    try:
        found = json.loads(path.read_bytes())
    except ValueError:
        return []
    cells = found.get("cells", []) if isinstance(found, dict) else []
    return [each for each in cells if isinstance(each, dict)] if isinstance(cells, list) else []
