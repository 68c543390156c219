"""What a caller may do with a volume, by the caller's roles in projects.

======== ============================================================================
action   who may
======== ============================================================================
see      everybody with a role in its project
mount    members and leads of its project; they also create volumes in it
change   its owner, leads of its project, admins: grow, level, read-only, description
delete   the same
======== ============================================================================

An admin may do everything; a session acts for nobody but itself. A cluster may withhold the rights
to create, change and delete volumes; owners keep theirs while they may create some.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from ...errors import NotAllowed, NotFound
from ...model.volumes.mounts import VolumeUse
from ...model.volumes.volumes import VOLUME_ACTIONS, Volume, VolumeAction
from ..access import Rights, leads

_WHO = {
    "mount": "members of {project} and admins",
    "change": "its owner {owner}, leads of {project} and admins",
    "delete": "its owner {owner}, leads of {project} and admins",
}


def sees(volume: Volume, rights: Rights) -> bool:
    """Return whether a caller may see a volume."""
    return not rights.caller.session and rights.names(volume.project)


def granted(volume: Volume, rights: Rights) -> tuple[VolumeAction, ...]:
    """Return what a caller may do with a volume."""
    if not sees(volume, rights):
        return ()
    project = volume.project
    is_lead = leads(rights, project)
    owns = bool(volume.owner) and volume.owner == rights.caller.name
    owns = owns and not rights.lacks("create volumes", project)
    allowed = {
        "mount": rights.launches(project),
        "change": owns or (is_lead and not rights.lacks("change volumes", project)),
        "delete": owns or (is_lead and not rights.lacks("delete volumes", project)),
    }
    return tuple(action for action in VOLUME_ACTIONS if allowed[action])


def shown(volume: Volume, rights: Rights) -> Volume:
    """Return a volume as a caller sees it: with actions, and its folder if the caller may mount it.

    Sessions of projects that the caller does not see are named by their project only.
    """
    actions = granted(volume, rights)
    return replace(
        volume,
        folder=volume.folder if "mount" in actions else "",
        uses=tuple(_use(each, rights) for each in volume.uses),
        actions=actions,
    )


def seen(volumes: Iterable[Volume], rights: Rights, project: str = "") -> list[Volume]:
    """Return the volumes that a caller may see, of one project if it is named."""
    return [
        shown(volume, rights)
        for volume in volumes
        if sees(volume, rights) and project in {"", volume.project}
    ]


def find(project: str, name: str, volumes: Iterable[Volume], rights: Rights) -> Volume:
    """Return a volume as the caller sees it. Raises NotFound."""
    visible = seen(volumes, rights, project)
    found = next((volume for volume in visible if volume.name == name), None)
    if found:
        return found
    names = ", ".join(volume.name for volume in visible)
    hint = (
        f"Volumes of {project}: {names}."
        if names
        else f"Create one: jupyter gpu volume create {name} -p {project}."
    )
    raise NotFound(f"Volume {name!r} not found in {project}.", hint=hint)


def check(action: VolumeAction, volume: Volume, rights: Rights) -> None:
    """Raise NotAllowed unless the caller may."""
    if action not in granted(volume, rights):
        owner = volume.owner or "(an admin)"
        who = _WHO[action].format(project=volume.project, owner=owner)
        raise NotAllowed(f"You may not {action} {volume.name}.", hint=f"Only {who} may.")


def _use(use: VolumeUse, rights: Rights) -> VolumeUse:
    if not use.project or rights.names(use.project):
        return use
    return replace(use, session="", name=f"a session of {use.project}", owner="", path="")
