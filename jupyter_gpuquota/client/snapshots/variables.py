"""Chosen variables of a program or notebook, as a file in its session's folder.

Each is pickled by itself (protocol 5), so that one which cannot be is skipped alone. Reading them
runs code: only those of the account itself are read.
"""

from __future__ import annotations

import os
import secrets
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import NotAllowed, NotFound, WrongState
from ...model.snapshots.dumps import PLACE, RESTORED, pod_folder
from ...variables import FOLDER, SESSION
from ..variables import far, pickles


@dataclass(frozen=True, slots=True)
class Dump:
    """Variables for a snapshot by their names, in a `file` of the session's folder.

    Without a file they are in a kernel of a session in a pod: that of `notebook`, or the only one.
    """

    names: tuple[str, ...] = ()
    file: str = ""
    notebook: str = ""


def new_file(folder: str | Path) -> tuple[str, str]:
    """Return the name and the path of a new file for variables of a session with a folder."""
    name = secrets.token_hex(16)
    return name, str(Path(folder) / PLACE / f"{name}.zip")


def dump(values: Mapping[str, Any]) -> Dump:
    """Write variables of this program for a snapshot. Raises WrongState outside of sessions."""
    if not values:
        return Dump()
    name, path = new_file(_folder())
    pickles.write_file(values, path)
    return Dump(tuple(values), name)


def load() -> dict[str, Any]:
    """Return the variables that were restored with this session's folder. This runs their code.

    Of variables that a resize kept for this notebook, those are returned. Raises NotFound without
    any, NotAllowed for a file of another account, WrongState for one that cannot be read.
    """
    folder = _folder()
    kept = Path(far.kept_file(str(folder)))
    if kept.is_file():
        return _read(kept)
    if not (folder / RESTORED).is_file():
        raise NotFound(
            "No variables were restored here.",
            hint="Restore a snapshot with them: snapshot restore ID --variables.",
        )
    return _read(folder / RESTORED)


def _read(path: Path) -> dict[str, Any]:
    try:
        found = dict(pickles.read_file(str(path)))
    except PermissionError as error:
        raise NotAllowed(
            f"{path} belongs to another account.", hint="Variables are code."
        ) from error
    except (OSError, zipfile.BadZipFile) as error:
        raise WrongState(f"{path} cannot be read: {error}.") from error
    for name, value in found.items():
        if isinstance(value, pickles.Unreadable):
            text = f"{name} cannot be read here: {value.reason}."
            raise WrongState(text, hint="Use the packages of the snapshot.")
    return found


def _folder() -> Path:
    """Return the session's folder; in a pod, where no other process needs it, one of its home."""
    if folder := os.environ.get(FOLDER, ""):
        return Path(folder)
    if session := os.environ.get(SESSION, ""):
        return Path.home() / pod_folder(session)
    raise WrongState(
        "Variables are stored and restored in sessions only.",
        hint="Use %gpu in a notebook of the session.",
    )
