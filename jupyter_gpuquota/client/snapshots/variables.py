"""Chosen variables of a program or notebook, as a file in its session's folder.

Each is pickled by itself (protocol 5), so that one which cannot be is skipped alone. Reading them
runs code: only those of the account itself are read.
"""

from __future__ import annotations

import json
import os
import pickle
import secrets
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...errors import NotAllowed, NotFound, WrongState
from ...variables import FOLDER

PLACE = Path(".gpuquota", "variables")
RESTORED = Path(".gpuquota", "variables.zip")
SKIPPED = "skipped.json"
_SUFFIX = ".pickle"


def dump(values: Mapping[str, Any]) -> str:
    """Write variables for a snapshot, and return the name of the file. Raises WrongState."""
    place = _folder() / PLACE
    place.mkdir(0o700, parents=True, exist_ok=True)
    name = secrets.token_hex(16)
    path = place / f"{name}.zip"
    skipped = {}
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as file, zipfile.ZipFile(file, "w") as archive:
        for variable, value in values.items():
            try:
                body = pickle.dumps(value, protocol=5)
            except Exception as error:  # noqa: BLE001 (whatever a class raises when it is pickled)
                skipped[variable] = f"{type(value).__name__} cannot be pickled: {error}."
            else:
                archive.writestr(f"{variable}{_SUFFIX}", body)
        archive.writestr(SKIPPED, json.dumps(skipped))
    return name


def load() -> dict[str, Any]:
    """Return the variables that were restored with this session's folder. This runs their code.

    Raises NotFound without any, NotAllowed for a file of another account, WrongState for one that
    cannot be read.
    """
    path = _folder() / RESTORED
    if not path.is_file():
        raise NotFound(
            "No variables were restored here.",
            hint="Restore a snapshot with them: snapshot restore ID --variables.",
        )
    if path.stat().st_uid != os.getuid():
        raise NotAllowed(f"{path} belongs to another account.", hint="Variables are code.")
    found = {}
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            if name.endswith(_SUFFIX):
                found[name.removesuffix(_SUFFIX)] = _value(archive.read(name), name)
    return found


def _value(body: bytes, name: str) -> Any:
    try:
        return pickle.loads(body)  # noqa: S301 (the account's own, on request: see the module)
    except Exception as error:
        text = f"{name.removesuffix(_SUFFIX)} cannot be read here: {error}."
        raise WrongState(text, hint="Use the packages of the snapshot.") from error


def _folder() -> Path:
    folder = os.environ.get(FOLDER, "")
    if not folder:
        raise WrongState(
            "Variables are stored and restored in sessions of this machine only.",
            hint="Use %gpu in a notebook of the session.",
        )
    return Path(folder)
