"""Named variables in a file: each is pickled by itself, with protocol 5.

Its source runs in kernels of other environments: it needs the standard library only, and the syntax
of Python 3.8. Whoever reads a pickle runs its code, so only one's own are read.
"""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import zipfile
from collections.abc import Iterable, Mapping
from typing import Any

KEPT = ".gpuquota/kept"
"""The folder in a session's folder with variables for the next kernels of notebooks."""
_SUFFIX = ".pickle"
_SKIPPED = "skipped.json"


def kept_file(folder: str) -> str:
    """Return the file in a session's folder that keeps variables of this kernel's notebook."""
    notebook = os.environ.get("JPY_SESSION_NAME", "")
    name = hashlib.sha256(notebook.encode()).hexdigest()[:32]
    return f"{folder}/{KEPT}/{name}.zip"


def write(namespace: Mapping[str, Any], names: Iterable[str], path: str) -> dict[str, str]:
    """Write variables to a file that only this account reads, in place of an earlier one.

    Returns by name why some are not in it, which the file says, too. Raises OSError.
    """
    path = os.path.expanduser(path)  # noqa: PTH111 (text is sent)
    os.makedirs(os.path.dirname(path), 0o700, exist_ok=True)  # noqa: PTH103, PTH120
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW
    part, problems = f"{path}.part", {}
    try:
        file = os.fdopen(os.open(part, flags, 0o600), "wb")
        with file, zipfile.ZipFile(file, "w") as archive:
            for name in names:
                if name not in namespace:
                    problems[name] = "There is no such variable."
                    continue
                value = namespace[name]
                try:
                    body = pickle.dumps(value, protocol=5)
                except Exception as error:  # noqa: BLE001 (whatever a class raises)
                    problems[name] = f"{type(value).__name__} cannot be pickled: {error}."
                else:
                    archive.writestr(name + _SUFFIX, body)
            archive.writestr(_SKIPPED, json.dumps(problems))
        os.replace(part, path)  # noqa: PTH105
    except OSError:
        forget(part)
        raise
    return problems


def read(path: str) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the variables of a file, and by name why others cannot be read.

    Raises OSError, BadZipFile, and PermissionError for a file of another account.
    """
    values, problems = {}, {}
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    with os.fdopen(handle, "rb") as file:
        if os.fstat(handle).st_uid != os.getuid():
            raise PermissionError(1, "the file belongs to another account", path)
        with zipfile.ZipFile(file) as archive:
            for member in archive.namelist():
                if member.endswith(_SUFFIX):
                    name = member[: -len(_SUFFIX)]
                    try:
                        values[name] = pickle.loads(archive.read(member))  # noqa: S301
                    except Exception as error:  # noqa: BLE001 (whatever a class raises)
                        problems[name] = f"{type(error).__name__}: {error}"
    return values, problems


def take(namespace: dict[str, Any], path: str) -> None:
    """Set the variables of a file, if it is there; it goes once all of them could be read.

    Raises OSError, BadZipFile.
    """
    if os.path.exists(path):  # noqa: PTH110 (text is sent)
        values, problems = read(path)
        namespace.update(values)
        if not problems:
            forget(path)


def forget(path: str) -> None:
    """Remove a file; without it, do nothing. Raises OSError."""
    if os.path.exists(path):  # noqa: PTH110 (text is sent)
        os.unlink(path)  # noqa: PTH108
