"""Which tests are to notice a change of a module."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

PACKAGE, TESTS = "jupyter_gpuquota", "tests"

LAYERS: dict[str, tuple[str, ...]] = {
    "core": ("core", "scenarios", "idleness", "services", "contract"),
    "services": ("services", "access", "contract", "clusters", "client"),
    "store": ("store", "jobs"),
    "local": ("local",),
    "control": ("control", "services", "contract"),
    "kubernetes": ("kubernetes",),
    "clusters": ("clusters", "contract", "services"),
    "controller": ("controller",),
    "hosting": ("client", "controller", "server"),
}
"""The layers that are mutated, and the folders of their tests."""

SLOW = {"cluster", "gpu", "hub", "kernels", "notebooks", "packaging", "recipes", "storms"}
"""Folders of tests that start much: no mutant waits for them."""
NEAR = 12
"""As many files at most are tried that import a module through another one."""


class Imports:
    """What the modules of the package and of the tests import."""

    def __init__(self, root: Path) -> None:
        self._root = root
        paths = [*root.glob(f"{PACKAGE}/**/*.py"), *root.glob(f"{TESTS}/**/*.py")]
        self._paths = {_module(path.relative_to(root)): path for path in sorted(paths)}

    @cached_property
    def _imports(self) -> dict[str, set[str]]:
        return {name: set(self._imported(name)) for name in self._paths}

    def tests_of(self, file: str) -> list[str]:
        """Return the test files that import a module, then those that do through one other."""
        module = _module(Path(file))
        direct = self._test_files({module})
        through = {name for name, imported in self._imports.items() if module in imported}
        near = [each for each in self._test_files(through) if each not in direct]
        return [*direct, *near[:NEAR]]

    def layer_of(self, file: str) -> list[str]:
        """Return the test files of a module's layer."""
        folders = LAYERS[Path(file).parts[1]]
        found = [self._root.glob(f"{TESTS}/{folder}/**/test_*.py") for folder in folders]
        return [str(path.relative_to(self._root)) for each in found for path in sorted(each)]

    def _test_files(self, modules: set[str]) -> list[str]:
        """Return the test files that import one of these; those that import little come first."""
        found = [
            (len(imported), str(self._paths[name].relative_to(self._root)))
            for name, imported in self._imports.items()
            if self._paths[name].name.startswith("test_")
            and imported & modules
            and self._paths[name].relative_to(self._root).parts[1] not in SLOW
        ]
        return [path for _, path in sorted(found)]

    def _imported(self, name: str) -> Iterator[str]:
        path = self._paths[name]
        package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.Import):
                yield from (each.name for each in node.names)
            elif isinstance(node, ast.ImportFrom):
                above = package[: len(package) - node.level + 1] if node.level else []
                base = ".".join([*above, *filter(None, [node.module])])
                names = [f"{base}.{each.name}" for each in node.names]
                yield from (each if each in self._paths else base for each in names)


def _module(path: Path) -> str:
    return ".".join(path.with_suffix("").parts).removesuffix(".__init__")
