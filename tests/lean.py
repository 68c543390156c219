"""A Python prefix with Jupyter Server but without JupyterLab, in which sessions start sooner."""

from __future__ import annotations

import sysconfig
import venv
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import jupyter_server

TERMINALS = Path("etc", "jupyter", "jupyter_server_config.d", "jupyter_server_terminals.json")


@cache
def lean_prefix() -> str:
    """Return its path; made once for all tests of a process."""
    prefix = Path(mkdtemp(prefix="lean-"))
    make_lean(prefix)
    return str(prefix)


def make_lean(prefix: Path) -> None:
    """Make it in a folder.

    Packages are those of this process, but what serves Jupyter is sought in the prefix itself.
    """
    builder = venv.EnvBuilder(symlinks=True)
    builder.create(prefix)
    names = {"base": str(prefix), "platbase": str(prefix)}
    packages = Path(sysconfig.get_path("purelib", "venv", names))
    ours = sysconfig.get_path("purelib")
    (packages / "all.pth").write_text(f"import site; site.addsitedir({ours!r})\n")
    server = Path(jupyter_server.__file__).parent
    (packages / server.name).symlink_to(server)
    _bring_commands(prefix)
    (prefix / TERMINALS).parent.mkdir(parents=True)
    (prefix / TERMINALS).symlink_to(Path(sysconfig.get_path("data"), TERMINALS))


def _bring_commands(prefix: Path) -> None:
    """Copy the commands of Jupyter, to be run by the Python of the prefix."""
    for ours in Path(sysconfig.get_path("scripts")).glob("jupyter*"):
        _, lines = ours.read_text().split("\n", 1)
        own = prefix / "bin" / ours.name
        own.write_text(f"#!{prefix}/bin/python\n{lines}")
        own.chmod(0o755)


def lean_python() -> str:
    """Return the path of its Python."""
    return str(Path(lean_prefix(), "bin", "python"))


def served() -> dict[str, Any]:
    """Return the fields of a request for a session that serves Jupyter from it."""
    return {"command": (), "environment": lean_prefix()}
