"""Find the sources, for the tests that read them."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# Written by `python -m jupyter_gpuquota.api.schema`, not by hand.
GENERATED = {
    "labextension/src/api/models.ts",
    "labextension/src/api/routes.ts",
}


def python_files() -> list[Path]:
    """Return our Python files, except tests."""
    folders = ("jupyter_gpuquota", "benchmarks", "scripts")
    found = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    return sorted(path for path in found if path.name != "_version.py")


def tests_and_demo() -> list[Path]:
    """Return the Python files of the tests, the demo and the hub."""
    folders = ("tests", "demo", "binder")
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


def typescript_files() -> list[Path]:
    """Return our TypeScript files, except generated ones and tests."""
    found = [path for ending in ("ts", "tsx") for path in _front_end().rglob(f"*.{ending}")]
    return sorted(
        path for path in found if name(path) not in GENERATED and "__tests__" not in path.parts
    )


def _front_end() -> Path:
    return ROOT / "labextension" / "src"


@cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    """Return the nodes of a Python file, which is parsed once for all tests."""
    return tuple(ast.walk(ast.parse(path.read_bytes())))


def name(path: Path) -> str:
    """Return a path as it is written in the documentation."""
    return path.relative_to(ROOT).as_posix()
