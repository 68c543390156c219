"""The manifests of claims: shared volumes, and those that are made with a session."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ...model.sessions import Session
from ...model.volumes.mounts import Mount
from ...model.volumes.volumes import AccessMode, NewVolume, StorageClass
from ..api import Api, Fault
from ..builders.metadata import without_empty
from ..labels import DESCRIPTION, MANAGED_BY, MANAGER, OWNER, READ_ONLY, SESSION
from ..reconcile.secrets import gone_already
from ..resources import CLAIMS
from .modes import LONG, usual_mode


class SessionClaims:
    """Makes the claims that a session asks for, before it first starts.

    The session is recorded before: a controller that is killed in between is followed by one that
    makes what is missing, and finds by its label what is there. A claim that is deleted later is
    not made again: it would be empty.
    """

    def __init__(
        self,
        api: Api,
        classes: Callable[[], Iterable[StorageClass]],
        sessions: Callable[[], Iterable[Session]] = tuple,
    ) -> None:
        self._api = api
        self._classes = classes
        self._sessions = sessions

    async def make(self, session: Session) -> None:
        """Make the claims of a session that has not run yet. Raises Fault."""
        if session.run:
            return
        for mount in session.spec.mounts:
            if mount.size:
                mode = usual_mode(mount.storage_class, self._classes())
                await self._ensure(session, session_claim(session, mount, mode))

    async def withdraw(self, session: Session) -> None:
        """Delete the claims of a session that has never started. Raises Fault.

        Those that another session mounts already stay.
        """
        others = (each for each in self._sessions() if each.id != session.id)
        taken = {(each.spec.project, m.volume) for each in others for m in each.spec.mounts}
        for mount in session.spec.mounts:
            key = (session.spec.project, mount.volume)
            if mount.size and key not in taken:
                with gone_already():
                    found = await self._api.get(CLAIMS, *key)
                    if found.metadata.labels.get(SESSION) == session.id:
                        await self._api.delete(CLAIMS, *found.key, uid=found.metadata.uid)

    async def _ensure(self, session: Session, body: dict[str, Any]) -> None:
        namespace, name = session.spec.project, body["metadata"]["name"]
        try:
            await self._api.create(CLAIMS, namespace, body)
        except Fault as fault:
            if fault.reason != "AlreadyExists":
                raise
            found = await self._api.get(CLAIMS, namespace, name)
            if found.metadata.labels.get(SESSION) != session.id:
                raise


def claim(wanted: NewVolume, labels: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return the claim of a new volume. A clone has its source in the same namespace."""
    kind, _, name = wanted.source.partition(":")
    source = {"kind": CLAIMS.kind, "name": name} if kind == "volume" else {}
    annotations = {
        OWNER: wanted.owner,
        DESCRIPTION: wanted.description,
        READ_ONLY: "true" if wanted.read_only else "",
    }
    spec = {
        "accessModes": [LONG.get(wanted.mode, wanted.mode)],
        "storageClassName": wanted.storage_class,
        "resources": {"requests": {"storage": str(wanted.size)}},
        "volumeAttributesClassName": wanted.level,
        "dataSource": source,
    }
    return {
        "apiVersion": CLAIMS.api_version,
        "kind": CLAIMS.kind,
        "metadata": {
            "name": wanted.name,
            "namespace": wanted.project,
            "labels": {MANAGED_BY: MANAGER, **(labels or {})},
            "annotations": without_empty(annotations),
        },
        "spec": without_empty(spec),
    }


def session_claim(session: Session, mount: Mount, mode: AccessMode) -> dict[str, Any]:
    """Return a claim that is made with a session. Nothing owns it: it outlives the session."""
    wanted = NewVolume(
        name=mount.volume,
        project=session.spec.project,
        owner=session.owner,
        storage_class=mount.storage_class,
        size=mount.size,
        mode=mode,
    )
    return claim(wanted, {SESSION: session.id})
