"""A docstring says what a class is and what a function does, without a filler word before it."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

import pytest

from tests.architecture.sources import name, python_files, tests_and_demo

if TYPE_CHECKING:
    from collections.abc import Iterator

FILLER = re.compile(r"(Be|Tell|Say)\b")
AFTER_A_QUOTE = re.compile(rf"[\"'](\s|\\\n)*{FILLER.pattern}")
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def test_no_docstring_begins_with_a_filler():
    found = {
        f"{name(path)}:{line}": text
        for path in python_files() + tests_and_demo()
        for line, text in fillers(path.read_text(encoding="utf-8"))
    }
    assert found == {}


@pytest.mark.parametrize(
    "source",
    [
        '"""Be a module."""',
        'class C:\n    """Be a class."""',
        'class C:\n    a = 1\n    """Say an attribute."""',
        'def f():\n    """\n    Tell\n    a function."""',
        'async def f():\n    def g():\n        """Tell, too."""',
    ],
)
def test_a_filler_is_found(source: str):
    assert len(list(fillers(source))) == 1


@pytest.mark.parametrize("text", ["Before all.", "Return it.", "Saying no.", "Telling: be it."])
def test_other_words_are_fine(text: str):
    assert list(fillers(f'def f():\n    """{text}"""')) == []


def fillers(source: str) -> Iterator[tuple[int, str]]:
    """Yield line and first line of each docstring that begins with a filler."""
    if not AFTER_A_QUOTE.search(source):
        return  # most files are not worth parsing
    for node in ast.walk(ast.parse(source)):
        for string in strings(node):
            text = string.value.strip()
            if FILLER.match(text):
                yield string.lineno, text.splitlines()[0]


def strings(node: ast.AST) -> Iterator[ast.Constant]:
    """Yield the docstring of a node, and those of its attributes."""
    statements = node.body if isinstance(node, DOCUMENTED) else []
    constants = (s.value for s in statements if isinstance(s, ast.Expr))
    yield from (c for c in constants if isinstance(c, ast.Constant) and isinstance(c.value, str))
