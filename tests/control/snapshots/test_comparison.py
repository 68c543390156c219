"""What differs in the cells of notebooks."""

from __future__ import annotations

import asyncio
import sys

import pytest

from jupyter_gpuquota.control.snapshots import comparison
from jupyter_gpuquota.control.snapshots.comparison import SIZE, difference, with_texts
from jupyter_gpuquota.errors import Damaged
from jupyter_gpuquota.model.snapshots.comparison import NotebookChange
from tests.notebook_files import notebook, with_nbdime

pytestmark = pytest.mark.usefixtures("nbdime")


@pytest.fixture
def nbdime(monkeypatch: pytest.MonkeyPatch) -> None:
    with_nbdime(monkeypatch)


def test_changed_and_new_cells_are_shown_without_names_of_files() -> None:
    lines = difference(notebook("x = 1\nprint(x)"), notebook("x = 2\nprint(x)", "y = 3"))
    assert lines.splitlines()[0] == "## modified /cells/0/source:"
    assert "-  x = 1\n+  x = 2\n" in lines
    assert "y = 3" in lines


def test_outputs_are_not_compared() -> None:
    assert difference(notebook("x", output="1"), notebook("x", output="2")) == ""


@pytest.mark.parametrize("body", [b"", b"[]", b"\xff", b'{"nbformat": 4, "cells": 3}'])
def test_what_is_not_a_notebook_is_said(body: bytes) -> None:
    with pytest.raises(ValueError, match="cannot be read as a notebook"):
        difference(body, notebook("x"))


def test_what_is_too_large_is_not_compared() -> None:
    with pytest.raises(ValueError, match="too large"):
        difference(b" " * (SIZE + 1), notebook("x"))


def compared(
    bodies: dict[str, tuple[bytes, bytes]], *changes: NotebookChange
) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return the differences of notebooks by path, and the problems."""

    async def read(path: str) -> tuple[bytes, bytes]:
        if path not in bodies:
            raise Damaged(f"{path} is damaged.")
        return bodies[path]

    found, problems = asyncio.run(with_texts(changes, read))
    return {each.path: each.text for each in found}, problems


def change(path: str, how: str = "changed") -> NotebookChange:
    """Return how a notebook differs."""
    return NotebookChange(path=path, change=how)


def test_only_changed_notebooks_are_read_and_problems_name_them() -> None:
    bodies = {"good.ipynb": (notebook("x"), notebook("y")), "bad.ipynb": (b"", b"")}
    texts, problems = compared(
        bodies,
        change("new.ipynb", "added"),
        change("good.ipynb"),
        change("bad.ipynb"),
        change("lost.ipynb"),
    )
    assert [path for path, text in texts.items() if text] == ["good.ipynb"]
    assert list(texts) == ["new.ipynb", "good.ipynb", "bad.ipynb", "lost.ipynb"]
    assert problems == (
        "bad.ipynb: it cannot be read as a notebook.",
        "lost.ipynb: lost.ipynb is damaged.",
    )


def test_of_many_notebooks_the_first_are_compared() -> None:
    paths = [f"{n}.ipynb" for n in range(comparison.MOST + 2)]
    pair = notebook("x"), notebook("y")
    texts, problems = compared(dict.fromkeys(paths, pair), *map(change, paths))
    assert [path for path, text in texts.items() if text] == paths[: comparison.MOST]
    assert problems == ("Only the first 20 notebooks are compared by their cells.",)


def test_without_nbdime_one_problem_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "nbdime", None)
    pair = notebook("x"), notebook("y")
    texts, problems = compared({"a": pair, "b": pair}, change("a"), change("b"))
    assert texts == {"a": "", "b": ""}
    assert problems == (
        "Notebooks are compared by name only: jupyter_gpuquota[nbdime] is not installed.",
    )
