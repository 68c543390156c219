"""What a session has beside its files: repositories, packages, GPUs, notebooks.

This module runs beside a session, or inside of it, where `drafts` carries it: the standard library
and the syntax of Python 3.8 only. Inside, it prints one line with all parts that can be read. The
answer has the secrets of the session, too, so that others can leave them out; it is never stored.
It looks at the folder in which it runs. The argument is a JSON document with `artifacts`, patterns
of files there.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
import zlib
from functools import partial
from pathlib import Path
from typing import (  # noqa: UP035 (Python 3.8 in sessions)
    Any,
    Callable,
    Iterable,
    Iterator,
)

from ...core.snapshots import redaction
from . import installed
from .git import Repository, named, origin, repositories, repository

MARK = "gpuquota-parts:"
"""What precedes the answer: programs in the session may print, too."""
_LONGEST = 700_000
"""The most bytes that are printed; longer output of programs is cut."""
_SAID = 300
_PATIENCE = 60.0
_QUERY = ("--query-gpu=name,driver_version", "--format=csv,noheader")
_CUDA = re.compile(r"CUDA Version:\s*([0-9.]+)")
PATIENCE = 30.0
"""Seconds for which notebooks are looked for."""
_SKIPPED = frozenset({".ipynb_checkpoints", ".git", ".cache", "node_modules", "__pycache__"})
"""Folders whose notebooks are nobody's work."""
_MARKS = frozenset({"conda-meta", "CACHEDIR.TAG", "controller.lock"})
"""What is in others: environments, caches, and the product's own state."""
_OF_VENV = frozenset({"lib", "lib64", "share"})
_NOTEBOOKS = 1000
_UNREAD = 20
"""Notebooks that are named at most because they cannot be read."""
_LARGE = 64 << 20
_CHUNK = 1 << 20


def main() -> None:
    """Print what is found."""
    asked = json.loads(sys.argv[1])
    secrets = redaction.secret_values(os.environ)
    found = look(Path.cwd(), asked["artifacts"], sys.executable, secrets)
    found["secrets"] = secrets
    line = _packed(found)
    if len(line) > _LONGEST:
        found["patches"] = []
        found["problems"].append(["git", "The changes are too many to be stored."])
        line = _packed(found)
    print(MARK + line)  # noqa: T201 (the answer)


def look(
    root: Path,
    artifacts: list[str],
    python: str,
    secrets: list[str],
    live: Path | None = None,
) -> dict[str, Any]:
    """Return the fields of all parts; `problems` say which part failed, and why.

    Without a `python`, no packages are listed. `live` is the folder of which `root` is a view.
    """
    found: dict[str, Any] = {"patches": [], "problems": []}

    def attempt(part: str, step: Callable[[], None]) -> None:
        try:
            step()
        except Exception as error:  # noqa: BLE001 (whatever users' files are, one part fails)
            found["problems"].append([part, words(error, secrets)])

    def checked_out() -> None:
        found["git"] = []
        for folder in repositories(root):
            step = partial(repository, root, folder, secrets, live)
            attempt(named(root, folder), partial(_add, found, named(root, folder), step))

    def chosen() -> None:
        found["artifacts"] = []
        for path in files(root, artifacts):
            name = str(path.relative_to(root))
            attempt(f"artifacts:{name}", partial(_add_file, found["artifacts"], path, name))
        missing = (f"left out:{each}" for each in artifacts if not _matches(root, each))
        found["problems"] += [[part, "No file matches it."] for part in missing]

    attempt("git", checked_out)
    attempt("environment", partial(_add_packages, found, python, live or root))
    attempt("gpus", lambda: found.update(gpus=gpus()))
    attempt("notebooks", partial(_list_notebooks, found, root))
    attempt("artifacts", chosen)
    return found


def _add_packages(found: dict[str, Any], python: str, root: Path) -> None:
    """Add what a Python has installed to what is found, nothing without one."""
    found["environment"] = {}
    if python:
        found["environment"] = installed.packages(python, origin)
        unstored = installed.unstored(found["environment"], root)
        found["problems"] += [[f"left out:{folder}", why] for folder, why in unstored]


def _add(found: dict[str, Any], part: str, step: Callable[[], Repository]) -> None:
    """Add a repository to what is found. Raises OSError, subprocess.SubprocessError."""
    each = step()
    found["git"].append(each.part)
    found["patches"].append(each.patch.decode(errors="surrogateescape"))
    found["problems"] += [[part, why] for why in each.problems]


def _list_notebooks(found: dict[str, Any], root: Path) -> None:
    """Add the notebooks to what is found, and name the first ones that cannot be read."""
    found["notebooks"], unread = [], 0
    for each in notebooks(root):
        found["notebooks"].append(each)
        why = each.pop("unread")
        unread += bool(why)
        if why and unread <= _UNREAD:
            found["problems"].append([f"unread:{each['path']}", why])
    if unread > _UNREAD:
        found["problems"].append(["unread", f"{unread - _UNREAD} more, not named here."])


def _add_file(artifacts: list[dict[str, Any]], path: Path, name: str) -> None:
    """Add a file to the artifacts. Raises OSError."""
    artifacts.append(file_part(path, name))


def _matches(root: Path, pattern: str) -> bool:
    """Return whether any file matches a pattern. Raises OSError."""
    return any(each.is_file() for each in root.glob(pattern))


def words(error: Exception, secrets: Iterable[str] = ()) -> str:
    """Return why a part could not be read, without secrets."""
    if isinstance(error, subprocess.CalledProcessError):
        said = error.stderr or b""
        text = said.decode(errors="replace") if isinstance(said, bytes) else said
        return (
            redaction.text(text.strip(), secrets)[-_SAID:] or f"It ended with {error.returncode}."
        )
    if isinstance(error, subprocess.TimeoutExpired):
        return f"It took longer than {error.timeout:g} seconds."
    known = isinstance(error, (OSError, ValueError, NotImplementedError))
    text = str(error) if known else f"It is not what it should be: {type(error).__name__}."
    return redaction.text(text, secrets)


def _packed(found: dict[str, Any]) -> str:
    return base64.b64encode(zlib.compress(json.dumps(found).encode())).decode()


def gpus() -> dict[str, Any]:
    """Return GPUs, driver and its version of CUDA, as far as there are any, as such fields.

    Raises OSError, subprocess.SubprocessError where the driver does not answer.
    """
    tool = shutil.which("nvidia-smi")
    if tool is None:
        return {}
    lines = [line.split(", ") for line in _run([tool, *_QUERY]).splitlines() if ", " in line]
    if not lines:
        return {}
    cuda = _CUDA.search(_run([tool]))
    return {
        "gpus": [line[0] for line in lines],
        "driver": lines[0][1],
        "cuda": cuda.group(1) if cuda else "",
    }


def _run(command: list[str]) -> str:
    return subprocess.run(
        command, capture_output=True, timeout=_PATIENCE, check=True, text=True, cwd="/"
    ).stdout


def notebooks(root: Path, patience: float = PATIENCE) -> Iterator[dict[str, Any]]:
    """Yield the notebooks below a folder, as fields of a `NotebookPart`.

    What is no notebook has no cells; `unread` says why, and is empty for others. Raises
    TimeoutError after `patience` seconds, ValueError after very many notebooks.
    """
    deadline = time.monotonic() + patience
    count = 0
    for folder, names, files in os.walk(root):
        if time.monotonic() > deadline:
            raise TimeoutError(f"Only a part of the folder was seen in {patience:g} seconds.")
        if Path(folder) != root and _MARKS.intersection((*names, *files)):
            names.clear()
            continue
        skipped = _SKIPPED | _OF_VENV if "pyvenv.cfg" in files else _SKIPPED
        names[:] = sorted(name for name in names if name not in skipped)
        for name in sorted(each for each in files if each.endswith(".ipynb")):
            path = Path(folder, name)
            if path.is_file() and not path.is_symlink():
                count += 1
                if count > _NOTEBOOKS:
                    raise ValueError(f"Only the first {_NOTEBOOKS:,} notebooks are recorded.")
                yield _notebook(path, str(path.relative_to(root)))


def files(root: Path, patterns: Iterable[str]) -> Iterator[Path]:
    """Yield the files that match any pattern, each once. Raises OSError."""
    found = {path for pattern in patterns for path in root.glob(pattern)}
    for path in sorted(found):
        if path.is_file() and not path.is_symlink():
            yield path


def file_part(path: Path, name: str) -> dict[str, Any]:
    """Return a file with its hash, as fields of a `FilePart`. Raises OSError."""
    digest, size = hashlib.sha256(), 0
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
            size += len(chunk)
    return {"path": name, "size": size, "sha256": digest.hexdigest()}


def _notebook(path: Path, name: str) -> dict[str, Any]:
    part: dict[str, Any] = {"path": name, "sha256": ""}
    cells: list[dict[str, object]] = []
    why = ""
    try:
        part = file_part(path, name)
        cells = _cells(path) if part.pop("size") <= _LARGE else []
    except OSError as error:
        why = f"It cannot be read: {error.strerror}."
    except (ValueError, RecursionError):
        why = "It is no notebook that can be read: its cells are not counted."
    code = [each for each in cells if each.get("cell_type") == "code"]
    ran = [each for each in code if each.get("execution_count")]
    return {**part, "cells": len(code), "executed": len(ran), "unread": why}


def _cells(path: Path) -> list[dict[str, object]]:
    """Return the cells of a notebook. Raises OSError, ValueError, RecursionError."""
    found = json.loads(path.read_bytes())
    cells = found.get("cells", []) if isinstance(found, dict) else []
    return [each for each in cells if isinstance(each, dict)] if isinstance(cells, list) else []
