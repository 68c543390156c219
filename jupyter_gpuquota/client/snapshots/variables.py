"""Chosen variables of a program or notebook, as a file in its session's folder.

Reading them runs code: only those of the account itself are read.
"""

from __future__ import annotations

import os
import secrets
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ... import accounts
from ...environ import FOLDER, SESSION
from ...errors import NotAllowed, NotFound, WrongState
from ...model.snapshots.dumps import PLACE, RESTORED, pod_folder
from ..variables import pickles


@dataclass(frozen=True, slots=True)
class Dump:
    """Variables for a snapshot by their names, in a `file` of the session's folder.

    Without a file the kernel of `notebook` writes them, or the only one.
    """

    names: tuple[str, ...] = ()
    file: str = ""
    notebook: str = ""


def dump(values: Mapping[str, Any]) -> Dump:
    """Write variables of this program for a snapshot. Raises WrongState outside of sessions."""
    if not values:
        return Dump()
    name = secrets.token_hex(16)
    write(values, values, str(_folder() / PLACE / f"{name}.zip"))
    return Dump(tuple(values), name)


def write(values: Mapping[str, Any], names: Iterable[str], path: str) -> dict[str, str]:
    """Write variables to a file; return by name why some are not in it. Raises WrongState."""
    try:
        return pickles.write(values, names, path)
    except OSError as error:
        raise WrongState(f"{path} cannot be written: {error}.") from error


def load() -> tuple[dict[str, Any], dict[str, str]]:
    """Return the variables that are there for this session, and why others cannot be read.

    They are those that a resize has kept for this notebook, else those that were restored with the
    session's folder. This runs their code. Raises NotFound without any, NotAllowed for a file of
    another account, WrongState for one that cannot be read.
    """
    folder = _folder()
    for path in (Path(pickles.kept_file(str(folder))), folder / RESTORED):
        if path.is_file():
            return _read(path)
    raise NotFound(
        "No variables were restored here.",
        hint="Restore a snapshot with them: snapshot restore ID --variables.",
    )


def _read(path: Path) -> tuple[dict[str, Any], dict[str, str]]:
    try:
        return pickles.read(str(path))
    except PermissionError as error:
        raise NotAllowed(
            f"{path} belongs to another account.", hint="Variables are code."
        ) from error
    except (OSError, zipfile.BadZipFile) as error:
        raise WrongState(f"{path} cannot be read: {error}.") from error


def _folder() -> Path:
    """Return the session's folder; in a pod, where no other process needs it, one of its home."""
    if folder := os.environ.get(FOLDER, ""):
        return Path(folder)
    session, home = os.environ.get(SESSION, ""), accounts.home()
    if session and home:
        return home / pod_folder(session)
    raise WrongState(
        "Variables are stored and restored in sessions only.",
        hint="Use %gpu in a notebook of the session.",
    )
