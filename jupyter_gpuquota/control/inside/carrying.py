"""Running modules of this product inside of a session, and reading their answer."""

from __future__ import annotations

import ast
import base64
import json
import zlib
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Any

_ROOT = "gpuquota_parts"
"""The package in the session; its modules have the places that they have in this product."""
_BOOT = """\
import base64, importlib.abc, importlib.util, json, sys, zlib
known = json.loads(zlib.decompress(base64.urlsafe_b64decode(sys.argv.pop(1))))
class Carried(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path=None, target=None):
        if name in known:
            return importlib.util.spec_from_loader(name, self, is_package=not known[name])
    def get_source(self, name):
        return known[name]
    def exec_module(self, module):
        exec(compile(known[module.__name__], module.__name__, "exec"), module.__dict__)
sys.meta_path.insert(0, Carried())
importlib.import_module(sys.argv.pop(1)).main()
"""


class Unreadable(Exception):
    """The session has not answered; the text says what it has said."""


def command(modules: Sequence[str], *words: str) -> tuple[str, ...]:
    """Return the command that runs `main` of the last module, with the session's own Python.

    `words` are its arguments. It prints one line, which `answered` reads.
    """
    carried = _carried(tuple(modules))
    return ("python3", "-I", "-c", _BOOT, carried, f"{_ROOT}.{modules[-1]}", *words)


def answered(output: str, mark: str) -> Any:
    """Return the value that follows a mark as compressed JSON. Raises Unreadable."""
    line = next((each for each in output.splitlines() if each.startswith(mark)), "")
    try:
        return json.loads(zlib.decompress(base64.b64decode(line[len(mark) :])))
    except (ValueError, RecursionError, zlib.error) as error:
        raise Unreadable(output.strip()[-200:] or "It printed nothing.") from error


@cache
def _carried(modules: tuple[str, ...]) -> str:
    """Return modules as text: their sources by name, empty for packages.

    It is short, as it becomes a part of an address.
    """
    top = resources.files(__package__.partition(".")[0])
    known = {_ROOT: ""}
    for module in modules:
        *packages, name = module.split(".")
        for number in range(1, len(packages) + 1):
            known[".".join([_ROOT, *packages[:number]])] = ""
        known[f"{_ROOT}.{module}"] = _bare(top.joinpath(*packages, f"{name}.py").read_text("utf-8"))
    return base64.urlsafe_b64encode(zlib.compress(json.dumps(known).encode(), 9)).decode()


def _bare(source: str) -> str:
    """Return a module without its docstrings; functions are never left empty."""
    lines = source.splitlines()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            lines[node.lineno - 1] = " " * node.col_offset + '""'
            for number in range(node.lineno, node.end_lineno or node.lineno):
                lines[number] = ""
    return "\n".join(line for line in lines if line.strip() and not line.lstrip().startswith("#"))
