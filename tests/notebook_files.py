"""Notebooks as bytes, and what compares them."""

from __future__ import annotations

import sys
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

NBDIME = Path(sys.prefix) / "nbdime"
"""`make test-setup` installs it here, apart from what servers that tests start load."""


def with_nbdime(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make nbdime importable."""
    if not NBDIME.is_dir():
        pytest.fail(f"nbdime is not installed in {NBDIME}: `make test-setup` does that")
    monkeypatch.syspath_prepend(NBDIME)


def notebook(code: str, *more: str, output: str = "") -> bytes:
    """Return a notebook with a cell of code, and more cells."""
    outputs = [new_output("stream", text=output)] if output else []
    cells = [new_code_cell(code, id="a", outputs=outputs), new_markdown_cell("words", id="b")]
    cells += [new_code_cell(each, id=f"c{n}") for n, each in enumerate(more)]
    return nbformat.writes(new_notebook(cells=cells)).encode()
