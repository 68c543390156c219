"""The claims that are made with sessions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ...model.sessions import Session
from ...model.volumes.volumes import StorageClass
from ..api import Api, Fault
from ..labels import SESSION
from ..reconcile.secrets import gone_already
from ..resources import CLAIMS
from .manifests import session_claim
from .modes import usual_mode


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
