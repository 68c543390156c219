"""Find the Python prefixes that sessions may start from, and resolve their folders."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from jupyter_core.paths import jupyter_path

from .. import accounts
from ..model.environments import Environment, LaunchPlace
from ..model.sessions import SessionRequest
from ..model.texts import broken_text
from . import prefixes
from .config import LocalConfig


def find(config: LocalConfig) -> tuple[Environment, ...]:
    """Return the controller's own prefix, the configured ones, kernels' and conda's."""
    found: dict[str, Environment] = {}
    ids: set[str] = set()
    for prefix in _candidates(config):
        if prefix in found or not prefixes.python_of(prefix).exists():
            continue
        name = _slug(prefix)
        number = next(n for n in range(1, len(ids) + 2) if _numbered(name, n) not in ids)
        ids.add(_numbered(name, number))
        found[prefix] = _environment(prefix, _numbered(name, number), default=not found)
    return tuple(found.values())


def look_up(request: SessionRequest, config: LocalConfig) -> LaunchPlace:
    """Resolve the environment, an id or path, and the folder of a request."""
    try:
        folder = os.path.realpath(Path(config.root_dir, Path(request.folder).expanduser()))
    except (RuntimeError, ValueError):  # an unknown account after a tilde, or a NUL
        folder, problem = request.folder, f"{request.folder!r} is not a valid path."
    else:
        problem = _folder_problem(folder)
    environment = _named(request.environment, config)
    return LaunchPlace(
        environment=environment,
        environment_problem="" if environment else _why_none(request.environment),
        folder=folder,
        folder_problem=problem,
    )


def _why_none(name: str) -> str:
    """Return why a name cannot be an environment, empty where it merely does not exist."""
    if name.startswith(("/", "~", ".")) or not {"/", ":"} & set(name):
        return ""
    return f"Sessions of this machine start from Python prefixes, not from images like {name!r}."


def _named(name: str, config: LocalConfig) -> Environment | None:
    if not name:
        return _environment(sys.prefix, _slug(sys.prefix), default=True)
    if "/" not in name:
        return next((found for found in find(config) if found.id == name), None)
    try:
        prefix = os.path.normpath(Path(name).expanduser())
    except RuntimeError:
        return None  # an unknown account after the tilde
    if "\0" in prefix or not prefix.startswith("/") or not prefixes.python_of(prefix).exists():
        return None
    listed = (found for found in find(config) if found.prefix == prefix)
    return next(listed, None) or _environment(prefix, prefix)


def _environment(prefix: str, name: str, *, default: bool = False) -> Environment:
    version = prefixes.version_of(prefix)
    return Environment(
        id=name,
        label=f"{name} (Python {version})" if version else name,
        prefix=prefix,
        python=str(prefixes.python_of(prefix)),
        default=default,
        problem=prefixes.problem_of(prefix),
    )


def _candidates(config: LocalConfig) -> Iterator[str]:
    yield sys.prefix
    yield from (os.path.normpath(accounts.expanded(path)) for path in config.environments)
    for folder in jupyter_path("kernels"):
        for spec in sorted(Path(folder).glob("*/kernel.json")):
            yield from _prefix_of_kernel(spec)
    home = accounts.home()
    listed = home / ".conda" / "environments.txt" if home else None
    if listed and listed.is_file():
        yield from (line.strip() for line in listed.read_text(errors="replace").splitlines())


def _prefix_of_kernel(spec: Path) -> Iterator[str]:
    """Yield the prefix of a kernel whose program is a Python of some prefix."""
    try:
        argv = json.loads(spec.read_bytes())["argv"]
        program = Path(argv[0])
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return  # Jupyter reports broken kernel specifications
    if program.is_absolute() and program.name.startswith("python") and program.parent.name == "bin":
        yield str(program.parent.parent)


def _folder_problem(folder: str) -> str:
    if said := broken_text(folder):
        return f"The path of the folder {said}"
    path = Path(folder)
    try:
        if not path.exists():
            return f"Folder {folder} does not exist."
        if not path.is_dir():
            return f"{folder} is a file, not a folder."
    except OSError as error:
        return f"Folder {folder} cannot be accessed: {error.strerror}."
    if not os.access(folder, os.R_OK | os.X_OK):
        return f"This account may not read {folder}."
    return ""


def _slug(prefix: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", Path(prefix).name.lower()).strip("-") or "python"


def _numbered(name: str, number: int) -> str:
    return name if number == 1 else f"{name}-{number}"
