"""Nothing grows beyond what fits into a head. A breach is a question about the design."""

from __future__ import annotations

import ast
from collections import Counter
from typing import TYPE_CHECKING

from tests.architecture.sources import name, nodes_of, python_files, typescript_files

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MODULE_LINES = 600
FUNCTION_LINES = 40
PUBLIC_METHODS = 12
FOLDER_MODULES = 24

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def test_modules_are_short():
    files = python_files() + typescript_files()
    sizes = {name(path): len(path.read_text(encoding="utf-8").splitlines()) for path in files}
    assert {path: lines for path, lines in sizes.items() if lines > MODULE_LINES} == {}


def test_folders_have_few_modules():
    files = [path for path in python_files() if path.name != "__init__.py"] + typescript_files()
    sizes = Counter(name(path.parent) for path in files)
    assert {folder: count for folder, count in sizes.items() if count > FOLDER_MODULES} == {}


def test_functions_are_short():
    sizes = {
        f"{name(path)}:{node.lineno} {node.name}": code_lines(node)
        for path, node in nodes(python_files())
        if isinstance(node, FUNCTIONS)
    }
    assert {where: lines for where, lines in sizes.items() if lines > FUNCTION_LINES} == {}


def test_classes_have_few_public_methods():
    sizes = {
        f"{name(path)}:{node.lineno} {node.name}": len(public_methods(node))
        for path, node in nodes(python_files())
        if isinstance(node, ast.ClassDef)
    }
    assert {where: count for where, count in sizes.items() if count > PUBLIC_METHODS} == {}


def test_a_docstring_does_not_count_as_code():
    (function,) = ast.parse('def f():\n    """One.\n\n    Two.\n    """\n    return 1\n').body
    assert code_lines(function) == 2


def test_properties_and_coroutines_count_as_public_methods():
    source = "class C:\n @property\n def a(self): 1\n async def b(self): 1\n def _c(self): 1\n"
    (class_,) = ast.parse(source).body
    assert public_methods(class_) == ["a", "b"]


def nodes(files: list[Path]) -> Iterator[tuple[Path, ast.AST]]:
    for path in files:
        for node in nodes_of(path):
            yield path, node


def code_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    lines = function.end_lineno - function.lineno + 1
    if ast.get_docstring(function) is None:
        return lines
    docstring = function.body[0]
    return lines - (docstring.end_lineno - docstring.lineno + 1)


def public_methods(class_: ast.ClassDef) -> list[str]:
    methods = [node.name for node in class_.body if isinstance(node, FUNCTIONS)]
    return list(dict.fromkeys(method for method in methods if not method.startswith("_")))
