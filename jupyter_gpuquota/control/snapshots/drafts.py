"""What was found beside a session, or inside of it, as parts of the draft of its manifest."""

from __future__ import annotations

import hashlib
import json
import os
import pickletools
import re
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
from msgspec.structs import replace

from ...beneath import open_beneath
from ...core.snapshots import redaction
from ...model.snapshots.dumps import PLACE
from ...model.snapshots.manifest import (
    EnvironmentPart,
    FilePart,
    GitPart,
    KernelPart,
    Manifest,
    NotebookPart,
    PartProblem,
    SkippedVariable,
)
from ..inside import carrying
from .parts import MARK

Store = Callable[[str, bytes], FilePart]
"""Stores a file with the snapshot, by a name."""
MODULES = (
    "beneath",
    "core.snapshots.redaction",
    "control.snapshots.git",
    "control.snapshots.installed",
    "control.snapshots.parts",
)
"""The modules that are carried."""
VARIABLES = "variables.zip"
"""The name of the file of variables in a snapshot."""
_SUFFIX = ".pickle"
_LEFT = "skipped.json"
_OPCODES = 200_000
"""The most steps of a pickle that are looked through one by one."""
_NO_FILE = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    KeyError,
    AttributeError,
    TypeError,
    RuntimeError,
)
"""What reading a file of variables raises that is none: it comes from a session."""
_DUMP = re.compile(r"[0-9a-f]{32}", re.ASCII)


def added_to(draft: Manifest, found: Mapping[str, Any], store: Store) -> Manifest:
    """Return a draft with the parts that `parts.look` has found. Raises ValueError."""
    fields = msgspec.structs.asdict(draft.environment)
    fields |= {**found.get("environment", {}), **found.get("gpus", {})}
    problems = (PartProblem(part=part, message=why) for part, why in found["problems"])
    return replace(
        draft,
        git=tuple(_repositories(found, store)),
        environment=msgspec.convert(fields, EnvironmentPart),
        notebooks=msgspec.convert(found.get("notebooks", ()), tuple[NotebookPart, ...]),
        artifacts=msgspec.convert(found.get("artifacts", ()), tuple[FilePart, ...]),
        problems=(*draft.problems, *problems),
    )


def _repositories(found: Mapping[str, Any], store: Store) -> list[GitPart]:
    parts = []
    for number, fields in enumerate(found.get("git", ())):
        patch = "".join(found["patches"][number : number + 1])
        body = patch.encode(errors="surrogateescape")
        stored = store(f"{number}.patch", body).sha256 if body else ""
        parts.append(msgspec.convert({**fields, "patch": stored}, GitPart))
    return parts


def command(artifacts: Iterable[str]) -> tuple[str, ...]:
    """Return the command that finds the parts of a session, with its own Python."""
    return carrying.command(MODULES, json.dumps({"artifacts": list(artifacts)}))


def answered(output: str) -> dict[str, Any]:
    """Return the fields of all parts. Raises Unreadable."""
    found: dict[str, Any] = carrying.answered(output, MARK)
    return found


def take_variables(root: Path, dump: str, target: Path, path: str) -> KernelPart:
    """Write what may be stored of a dump to a new file, and return the part at `path`.

    Variables are never read as objects here: that would run their code.

    The dump is removed. Raises OSError, ValueError for one that cannot be read.
    """
    if not _DUMP.fullmatch(dump):
        raise ValueError("That is no file of variables.")
    source = root / PLACE / f"{dump}.zip"
    handle = open_beneath(root, f"{PLACE}/{dump}.zip")
    try:
        with os.fdopen(handle, "rb") as file, target.open("w+b") as stored:
            return chosen_variables(file, stored, path)
    finally:
        source.unlink(missing_ok=True)


def chosen_variables(found: BinaryIO, target: BinaryIO, path: str) -> KernelPart:
    """Write what may be stored of a file of variables, and return the part at `path`.

    Raises ValueError for a file that cannot be read.
    """
    names, skipped = [], []
    try:
        with zipfile.ZipFile(found) as given, zipfile.ZipFile(target, "w") as stored:
            for name, reason in json.loads(given.read(_LEFT)).items():
                skipped.append(SkippedVariable(name=name, reason=redaction.text(reason)))
            for member in sorted(set(given.namelist()) - {_LEFT}):
                name, body = member.removesuffix(_SUFFIX), given.read(member)
                if why := _problem(name, body):
                    skipped.append(SkippedVariable(name=name, reason=why))
                else:
                    stored.writestr(zipfile.ZipInfo(member), body)
                    names.append(name)
    except _NO_FILE as error:
        raise ValueError(f"The file of variables cannot be read: {error}.") from error
    target.seek(0)
    sha256 = hashlib.sha256(target.read()).hexdigest()
    return KernelPart(
        provider="pickle", path=path, sha256=sha256, names=tuple(names), skipped=tuple(skipped)
    )


def _problem(name: str, body: bytes) -> str:
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
