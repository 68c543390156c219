"""Checking requests for volumes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import cast

from ...errors import NameTaken
from ...model.volumes.volumes import (
    ACCESS_MODES,
    AccessMode,
    NewVolume,
    StorageClass,
    Volume,
    VolumeChange,
    VolumeRequest,
)
from ..access import Rights
from ..fields import FieldReader
from ..requests.quantities import PATH, read_size, size_quantity

_DESCRIPTION = 1000


def new_volume(
    request: VolumeRequest,
    known: Sequence[Volume],
    classes: Sequence[StorageClass],
    projects: Collection[str],
    rights: Rights,
) -> NewVolume:
    """Return a checked request. Raises InvalidFields with all problems, NameTaken."""
    mine = [name for name in projects if rights.launches(name)]
    mine = [name for name in mine if not rights.lacks("create volumes", name)]
    project = request.project or next(iter(mine), "")
    reader = FieldReader()
    reader.name("name", request.name, "scratch")
    _check_project(project, mine, reader)
    chosen = _class(request, classes, reader)
    size = read_size("size", request.size, reader)
    mode = request.mode.upper() or _usual_mode(chosen)
    reader.choice("mode", mode, chosen.modes if chosen and chosen.modes else ACCESS_MODES)
    if request.level and chosen and classes:
        _check_level(request.level, chosen, reader)
    if request.folder and not PATH.fullmatch(request.folder):
        reader.untranslated("folder", "It is not an absolute path.", "Use a path like /data/scans.")
    check_description(request.description, reader)
    _check_source(request, project, known, reader)
    reader.finish()
    check_free(project, request.name, known)
    return NewVolume(
        name=request.name,
        project=project,
        owner=rights.caller.name,
        description=request.description,
        storage_class=chosen.name if chosen else "",
        size=size,
        mode=cast("AccessMode", mode),
        folder=request.folder,
        read_only=request.read_only,
        level=request.level,
        source=request.source,
    )


def changed_size(
    volume: Volume, change: VolumeChange, classes: Iterable[StorageClass]
) -> int | None:
    """Return the new size in bytes, None to keep it. Raises InvalidFields with all problems.

    A volume only grows. A folder may also lose its limit, and one without gets any.
    """
    reader = FieldReader()
    size = None if change.size is None else read_size("size", change.size, reader)
    chosen = next((each for each in classes if each.name == volume.storage_class), None)
    if size is not None and not reader.errors:
        unlimited = volume.kind == "folder" and not size
        if size < volume.size and not unlimited:
            least = size_quantity(volume.size)
            reader.untranslated("size", "A volume cannot shrink.", f"Use at least {least}.")
        elif size > volume.size and chosen and not chosen.expandable:
            text = f"Volumes of the class {chosen.name} cannot grow."
            hint = f"Clone it into a larger one: volume create NAME --from {volume.name} --size …"
            reader.untranslated("size", text, hint)
    if change.level and chosen:
        _check_level(change.level, chosen, reader)
    if change.description is not None:
        check_description(change.description, reader)
    reader.finish()
    return size


def check_free(project: str, name: str, known: Iterable[Volume]) -> None:
    """Raise NameTaken if the project has a volume of this name."""
    if any((each.project, each.name) == (project, name) for each in known):
        raise NameTaken(f"{project} has a volume {name} already.", hint="Use another name.")


def check_description(text: str, reader: FieldReader) -> None:
    """Check a description."""
    if len(text) > _DESCRIPTION or any(ord(letter) < ord(" ") for letter in text):
        hint = f"Use one line of at most {_DESCRIPTION} characters."
        reader.untranslated("description", "It is too long, or has several lines.", hint)


def _check_project(name: str, mine: Collection[str], reader: FieldReader) -> None:
    if name in mine:
        return
    listed = f"Yours: {', '.join(sorted(mine))}." if mine else "You are a member of no project."
    text = f"You are not a member of {name}." if name else "Name the project of the volume."
    reader.untranslated("project", text, listed)


def _class(
    request: VolumeRequest, classes: Sequence[StorageClass], reader: FieldReader
) -> StorageClass | None:
    """Return the requested class, or the default one."""
    if not classes:  # not known: the cluster decides
        return StorageClass(name=request.storage_class)
    if not request.storage_class:
        return next((each for each in classes if each.default), next(iter(classes), None))
    reader.choice("storage_class", request.storage_class, [each.name for each in classes])
    return next((each for each in classes if each.name == request.storage_class), None)


def _check_level(level: str, chosen: StorageClass, reader: FieldReader) -> None:
    if chosen.levels:
        reader.choice("level", level, chosen.levels)
    else:
        reader.untranslated("level", f"The class {chosen.name} has no levels.", "Leave it out.")


def _usual_mode(chosen: StorageClass | None) -> str:
    """Return RWX, as volumes are for sharing, unless the class is known not to have it."""
    if chosen and chosen.modes and "RWX" not in chosen.modes:
        return chosen.modes[0]
    return "RWX"


def _check_source(
    request: VolumeRequest, project: str, known: Iterable[Volume], reader: FieldReader
) -> None:
    if not request.source:
        return
    kind, _, name = request.source.partition(":")
    names = [each.name for each in known if each.project == project]
    if kind != "volume" or not name:
        reader.untranslated("source", f"Unknown source: {request.source}.", "Use volume:NAME.")
    elif name not in names:
        listed = f"Volumes: {', '.join(names)}." if names else "It has none."
        reader.untranslated("source", f"{project} has no volume {name}.", listed)
    if request.folder:
        reader.untranslated("folder", "A shared folder is not a clone.", "Leave one of them out.")
