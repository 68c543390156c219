"""Detect whether the source of a notebook's cells has changed, or only their output."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import msgspec


class Cell(msgspec.Struct):
    """The source of a cell."""

    cell_type: str = ""
    source: str | list[str] = ""


class Notebook(msgspec.Struct):
    """The fields that are read of a notebook."""

    cells: list[Cell]


def digest(cells: Iterable[Cell]) -> str:
    """Return a hash of the sources of cells."""
    found = hashlib.sha256()
    for cell in cells:
        source = cell.source if isinstance(cell.source, str) else "".join(cell.source)
        found.update(f"{cell.cell_type} {len(source)} {source}".encode(errors="surrogatepass"))
    return found.hexdigest()
