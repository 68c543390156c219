"""Inspect Python prefixes, where possible without running their Python."""

from __future__ import annotations

import subprocess
from functools import lru_cache
from pathlib import Path

_SECONDS = 20


def python_of(prefix: str) -> Path:
    """Return the path of a prefix's Python; Debian's own has only `python3`."""
    python = Path(prefix, "bin", "python")
    return python if python.exists() else python.with_name("python3")


def version_of(prefix: str) -> str:
    """Return the version of a prefix's Python, by its folders; empty if they are ambiguous."""
    found = [path.name.removeprefix("python") for path in Path(prefix).glob("lib/python3.*")]
    return found[0] if len(found) == 1 else ""


def variable_of(prefix: str) -> str:
    """Return the variable that marks this prefix as active, empty for a plain installation."""
    if Path(prefix, "conda-meta").is_dir():
        return "CONDA_PREFIX"
    return "VIRTUAL_ENV" if Path(prefix, "pyvenv.cfg").is_file() else ""


def server_module(prefix: str) -> str:
    """Return the module that serves Jupyter from a prefix: JupyterLab if it is installed.

    Where jupyter_server is in the prefix itself, JupyterLab is searched for only there: running the
    prefix's Python just to learn that it is not installed would delay every start.
    """
    there = _lies_in(prefix, "jupyter_server")
    found = _lies_in(prefix, "jupyterlab") if there else _has(prefix, "jupyterlab")
    return "jupyterlab" if found else "jupyter_server"


def problem_of(prefix: str) -> str:
    """Return why no Jupyter Server can run from a prefix, empty if one can."""
    python = python_of(prefix)
    if not python.exists():
        return f"{prefix} has no bin/python."
    return "" if _has(prefix, "jupyter_server") else f"{prefix} has no jupyter_server."


def _has(prefix: str, module: str) -> bool:
    stamps = [path.stat().st_mtime_ns for path in _packages(prefix)]
    return _find(prefix, module, tuple(stamps))


@lru_cache(maxsize=256)
def _find(prefix: str, module: str, stamps: tuple[int, ...]) -> bool:
    """Return whether a prefix has a module; `stamps` change with each installation."""
    if _lies_in(prefix, module):
        return True
    program = f"import importlib.util as u; raise SystemExit(u.find_spec({module!r}) is None)"
    command = [str(python_of(prefix)), "-c", program]
    try:
        done = subprocess.run(
            command,
            timeout=_SECONDS,
            check=False,
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def _lies_in(prefix: str, module: str) -> bool:
    return any((path / module / "__init__.py").exists() for path in _packages(prefix))


def _packages(prefix: str) -> list[Path]:
    return sorted(Path(prefix).glob("lib/python3*/site-packages"))
