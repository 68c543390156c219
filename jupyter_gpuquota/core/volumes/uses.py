"""Who mounts volumes, by the sessions that there are."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from ...errors import InUse
from ...model.sessions import ENDED, Session
from ...model.volumes.mounts import VolumeUse
from ...model.volumes.volumes import SharedFolder, Volume, VolumeEntry
from ..fields import FieldReader
from ..requests.quantities import PATH, read_size
from .requests import check_description

Key = tuple[str, str]
"""A volume by its project and its name."""


def key_of(volume: Volume) -> Key:
    """Return what identifies a volume."""
    return volume.project, volume.name


def uses_of(sessions: Iterable[Session]) -> Mapping[Key, tuple[VolumeUse, ...]]:
    """Return the sessions that mount each volume now, or will when they start or resume."""
    found: dict[Key, list[VolumeUse]] = defaultdict(list)
    for session in sessions:
        if session.state in ENDED:
            continue
        for mount in session.spec.mounts:
            if mount.volume:
                use = VolumeUse(
                    session=session.id,
                    name=session.spec.name,
                    project=session.spec.project,
                    owner=session.owner,
                    path=mount.path,
                    read_only=mount.read_only,
                    node=session.placement.node if session.placement else "",
                    state=session.state,
                )
                found[session.spec.project, mount.volume].append(use)
    return {key: tuple(uses) for key, uses in found.items()}


def in_use(volume: Volume) -> InUse | None:
    """Return why a volume cannot be deleted now, None if nothing mounts it."""
    if not volume.uses:
        return None
    users = ", ".join(dict.fromkeys(map(_named, volume.uses)))
    return InUse(
        f"{volume.name} is mounted by {users}.",
        hint="Stop these first: a queued or suspended session mounts it when it starts.",
    )


def _named(use: VolumeUse) -> str:
    """Return a session and what tells people about it: whose it is, and its state."""
    told = ", ".join(filter(None, (use.owner, use.state if use.state != "running" else "")))
    return f"{use.name} ({told})" if told else use.name


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
