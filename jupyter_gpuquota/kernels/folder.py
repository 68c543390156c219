"""The working folder of a kernel elsewhere: the notebook's, where the session has its storage.

Storage has other names and paths there. So it is tried: a file that is made in the notebook's
folder is looked for in the session's folder and volumes, at each end of the folder's path here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from ..environ import VOLUMES
from ..model.sessions import Session
from . import entering

Ask = Callable[[str], str]
"""Returns the value of an expression for a text in the kernel, empty if that fails."""


@dataclass(frozen=True, slots=True)
class Folder:
    """The notebook's folder, and whether its session has it."""

    path: str
    found: bool


def enter(ask: Ask, folder: str) -> bool:
    """Return whether a kernel works in the notebook's folder now."""
    with _marked(Path(folder)) as mark:
        return bool(mark and ask(_entering(mark, ends(folder))))


def ends(folder: str) -> list[str]:
    """Return the paths at which a folder may be below another root, the longest one first."""
    parts = Path(folder).parts[1:]
    return ["/".join(parts[start:]) for start in range(len(parts) + 1)]


def missing(session: Session, folder: str) -> str:
    """Return what a user is told once if the notebook's folder was not found in the session."""
    name, path = session.spec.name, session.spec.folder
    return (
        f"This notebook's folder ({folder}) was not found in {name}: code works in {path}.\n"
        f"If a volume has these files, mount it: Mount Folder… in the notebook's toolbar, or "
        f"`%gpu resize {name} -v VOLUME:/path`, restarts {name} with it. `%gpu volume list` shows "
        f"volumes.\n"
    )


@contextmanager
def _marked(folder: Path) -> Iterator[str]:
    """Make a file for as long as it is looked for, and yield its name; empty if that fails."""
    mark = folder / f".gpuquota-{uuid4().hex}"
    try:
        mark.touch(exist_ok=False)
    except OSError:  # a folder that cannot be written cannot be recognised
        yield ""
        return
    try:
        yield mark.name
    finally:
        mark.unlink(missing_ok=True)


def _entering(mark: str, at: list[str]) -> str:
    source = Path(entering.__file__).read_text(encoding="utf-8")
    volumes = f'__import__("os").environ.get({VOLUMES!r}, "")'
    then = f'm["enter"]({mark!r}, {json.dumps(at)}, m["places"]({volumes}))'
    return (
        f'(lambda m: (exec({source!r}, m), {then})[1])({{"__name__": "jupyter_gpuquota_folder"}})'
    )
