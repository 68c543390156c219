"""Whether nobody works in what a restore replaces."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from pathlib import PurePath

from ...core.volumes import rights
from ...errors import FieldError, WrongState
from ...model.sessions import ENDED, State
from ...model.snapshots.restore import Restoration
from ...ports.backend import Backend
from ..call import Call

INACTIVE: frozenset[State] = ENDED | {"suspended"}
"""States in which nobody works in a session's folder, nor will without being asked to."""


def check(backend: Backend, call: Call, known: Restoration) -> None:
    """Raise WrongState while a session works in what is replaced, or in what replaces it."""
    folders, ids = [known.origin, known.folder], [known.replaces, known.session]
    problems = [*live(backend, folders, ids), *mounting(backend, call, "", known.places)]
    if problems:
        raise WrongState(problems[0].message, hint=problems[0].hint)


def live(backend: Backend, folders: Iterable[str], ids: Iterable[str]) -> list[FieldError]:
    """Return which sessions must end before their folders or volumes are replaced."""
    replaced, named = {folder for folder in folders if folder}, set(ids)
    return [
        FieldError(
            "replace",
            f"The session {each.spec.name} works in {each.spec.folder}."
            if each.spec.folder in replaced
            else f"The session {each.spec.name} is {each.state}.",
            "Suspend or stop it first: its files are replaced.",
        )
        for each in backend.sessions.all()
        if (each.spec.folder in replaced or each.id in named) and each.state not in INACTIVE
    ]


def mounting(
    backend: Backend, call: Call, session: str, places: Collection[str]
) -> Iterator[FieldError]:
    """Yield which sessions besides one mount folders that are replaced, by any volume."""
    for volume in backend.volumes.all() if backend.volumes and places else ():
        if any(_overlap(volume.folder, place) for place in places):
            for each in rights.shown(volume, call.rights).uses:
                if each.state not in INACTIVE and each.session != session:
                    yield FieldError(
                        "replace",
                        f"The session {each.name} mounts the volume {volume.name}.",
                        "Suspend or stop it first, or restore the snapshot into a new session.",
                    )


def not_allowed(
    backend: Backend, call: Call, project: str, names: Collection[str]
) -> Iterator[FieldError]:
    """Yield the volumes that the caller may no longer write."""
    for volume in backend.volumes.all() if backend.volumes and names else ():
        known = volume.project == project and volume.name in names
        if known and "mount" not in rights.granted(volume, call.rights):
            yield FieldError(
                "replace",
                f"You may not mount the volume {volume.name}.",
                f"Ask a lead of {project} to make you a member.",
            )


def _overlap(one: str, other: str) -> bool:
    """Return whether a folder is another one, or one is in the other."""
    first, second = PurePath(one or "/"), PurePath(other)
    return bool(one) and (first.is_relative_to(second) or second.is_relative_to(first))
