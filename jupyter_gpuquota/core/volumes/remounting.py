"""Mounting other volumes in the places of those that a session has."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from ...errors import Conflict, WrongState
from ...model.sessions import ENDED, Session, SessionSpec


def with_volumes(spec: SessionSpec, volumes: Mapping[str, str]) -> SessionSpec:
    """Return a spec that mounts other volumes, by the names of those that they replace."""
    mounts = [
        replace(each, volume=volumes[each.volume], size=0, storage_class="")
        if each.volume in volumes
        else each
        for each in spec.mounts
    ]
    pod = replace(spec.pod, mounts=()) if spec.pod else None
    return replace(spec, volumes=tuple(mounts), pod=pod)


def remounted(session: Session, volumes: Mapping[str, str]) -> Session:
    """Return a session at rest that mounts other volumes when it starts; it may be so already.

    Raises:
        WrongState: it is neither suspended nor over.
        Conflict: it mounts neither these volumes nor those that replace them.
    """
    if session.state not in ENDED | {"suspended"}:
        raise WrongState(
            f"{session.spec.name} is {session.state}: its volumes cannot be replaced.",
            hint="Suspend or stop it first.",
        )
    mounted = {each.volume for each in session.spec.mounts}
    if lost := [old for old, new in volumes.items() if not mounted & {old, new}]:
        raise Conflict(
            f"{session.spec.name} no longer mounts {', '.join(lost)}.",
            hint="Restore the snapshot into a new session instead.",
        )
    return replace(session, spec=with_volumes(session.spec, volumes))
