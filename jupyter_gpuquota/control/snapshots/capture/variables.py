"""Variables that a program of the session has written for its snapshot, without secrets.

They are never read as objects here: that would run their code.
"""

from __future__ import annotations

import hashlib
import json
import os
import pickletools
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from ....core.snapshots import redaction
from ....model.snapshots.dumps import PLACE
from ....model.snapshots.manifest import KernelPart, SkippedVariable

NAME = "variables.zip"
_SUFFIX = ".pickle"
_SKIPPED = "skipped.json"
_OPCODES = 200_000
"""The most steps of a pickle that are looked through one by one."""
_DUMP = re.compile(r"[0-9a-f]{32}", re.ASCII)


def take(root: Path, dump: str, target: Path, path: str) -> KernelPart:
    """Write what may be stored of a dump to a new file, and return the part at `path`.

    The dump is removed. Raises OSError, ValueError for one that cannot be read.
    """
    if not _DUMP.fullmatch(dump):
        raise ValueError("That is no file of variables.")
    source = root / PLACE / f"{dump}.zip"
    handle = os.open(source, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        with os.fdopen(handle, "rb") as file, target.open("w+b") as stored:
            return chosen(file, stored, path)
    finally:
        source.unlink(missing_ok=True)


def chosen(found: BinaryIO, target: BinaryIO, path: str) -> KernelPart:
    """Write what may be stored of a file of variables, and return the part at `path`.

    Raises ValueError for a file that cannot be read.
    """
    names, skipped = [], []
    try:
        with zipfile.ZipFile(found) as given, zipfile.ZipFile(target, "w") as stored:
            for name, reason in json.loads(given.read(_SKIPPED)).items():
                skipped.append(SkippedVariable(name=name, reason=redaction.text(reason)))
            for member in sorted(set(given.namelist()) - {_SKIPPED}):
                name, body = member.removesuffix(_SUFFIX), given.read(member)
                if why := problem(name, body):
                    skipped.append(SkippedVariable(name=name, reason=why))
                else:
                    stored.writestr(zipfile.ZipInfo(member), body)
                    names.append(name)
    except (zipfile.BadZipFile, KeyError) as error:
        raise ValueError(f"The file of variables cannot be read: {error}.") from error
    target.seek(0)
    sha256 = hashlib.sha256(target.read()).hexdigest()
    return KernelPart(
        provider="pickle", path=path, sha256=sha256, names=tuple(names), skipped=tuple(skipped)
    )


def problem(name: str, body: bytes) -> str:
    """Return why a variable is not stored, empty if it is."""
    if redaction.secret_variable(name):
        return "It may be a secret, by its name."
    text = body.decode("latin-1")
    if redaction.text(text) != text or any(_secrets(body)):
        return "It has what may be a secret."
    return ""


def _secrets(body: bytes) -> Iterator[bool]:
    """Yield whether a text of a pickle is a secret: by its form, or by the key before it."""
    before = ""
    for count, (_, value, _) in enumerate(pickletools.genops(body)):
        if count > _OPCODES:
            return
        if isinstance(value, str):
            yield redaction.text(value) != value or redaction.secret_variable(before)
            before = value
