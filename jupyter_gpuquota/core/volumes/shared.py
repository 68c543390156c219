"""Checking the folders that admins share in the quota file."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ...model.volumes.volumes import SharedFolder, VolumeEntry
from ..fields import FieldReader
from ..requests.patterns import PATH
from ..requests.quantities import read_size
from .requests import check_description


def check_shared(
    entries: Sequence[VolumeEntry], projects: Collection[str], reader: FieldReader
) -> tuple[SharedFolder, ...]:
    """Return the folders of a file, and note every problem."""
    found: list[SharedFolder] = []
    taken: set[tuple[str, str]] = set()
    for i, entry in enumerate(entries):
        inside = reader.under(f"volumes[{i}].")
        inside.name("name", entry.name, "scans")
        if not PATH.fullmatch(entry.folder):
            hint = "Use a path like /data/scans."
            inside.untranslated("folder", "It is not an absolute path.", hint)
        if not entry.projects:
            inside.untranslated("projects", "No project may mount it.", "Name at least one.")
        for project in entry.projects:
            inside.known("projects", project, sorted(projects), "project.unknown")
            if (project, entry.name) in taken:
                inside.wrong("name", "name.twice", name=entry.name)
            taken.add((project, entry.name))
        check_description(entry.description, inside)
        found.append(
            SharedFolder(
                name=entry.name,
                folder=entry.folder,
                projects=tuple(dict.fromkeys(entry.projects)),
                read_only=entry.read_only,
                size=read_size("size", entry.size, inside),
                description=entry.description,
            )
        )
    return tuple(found)
