"""Notebooks and chosen files of a folder, with their hashes."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from ...model.snapshots.manifest import FilePart, NotebookPart

_MOST = 1000
_LARGE = 64 << 20
_SKIPPED = frozenset({".ipynb_checkpoints", ".git", "node_modules", "__pycache__"})


def notebooks(root: Path) -> Iterator[NotebookPart]:
    """Yield the notebooks below a folder. What is no notebook has no cells."""
    count = 0
    for folder, names, files in os.walk(root):
        names[:] = sorted(name for name in names if name not in _SKIPPED)
        for name in sorted(files):
            path = Path(folder, name)
            if name.endswith(".ipynb") and path.is_file() and not path.is_symlink():
                count += 1
                if count > _MOST:
                    return
                yield _notebook(root, path)


def files(root: Path, patterns: Iterable[str]) -> Iterator[FilePart]:
    """Yield the files that match any pattern, each once. Raises OSError."""
    found = {path for pattern in patterns for path in root.glob(pattern)}
    for path in sorted(found):
        if path.is_file() and not path.is_symlink():
            yield file_part(path, str(path.relative_to(root)))


def file_part(path: Path, name: str) -> FilePart:
    """Return a file with its hash. Raises OSError."""
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return FilePart(path=name, size=path.stat().st_size, sha256=digest)


def _notebook(root: Path, path: Path) -> NotebookPart:
    part = file_part(path, str(path.relative_to(root)))
    cells = _cells(path) if part.size <= _LARGE else []
    code = [each for each in cells if each.get("cell_type") == "code"]
    ran = [each for each in code if each.get("execution_count")]
    return NotebookPart(path=part.path, sha256=part.sha256, cells=len(code), executed=len(ran))


def _cells(path: Path) -> list[dict[str, object]]:
    try:
        found = json.loads(path.read_bytes())
    except ValueError:
        return []
    cells = found.get("cells", []) if isinstance(found, dict) else []
    return [each for each in cells if isinstance(each, dict)] if isinstance(cells, list) else []
