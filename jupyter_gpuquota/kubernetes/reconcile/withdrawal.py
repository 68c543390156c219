"""Taking back sessions that have never started, and nothing else.

The engine of a cluster, not this program, decides when a session starts, and that may be now. So
each object is deleted only in the version in which it was seen not to have started, and pods first:
one that is put on a node has another version from then on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from ...model.sessions import Session
from ..api import Api, Fault
from ..labels import SESSION, object_name
from ..objects.pods import Pod
from ..objects.workloads import Workload
from ..resources import PODS
from .kinds import kind_of
from .secrets import CONFLICT, NOT_FOUND, SessionSecrets


class Claims(Protocol):
    """What deletes the claims that were made for sessions."""

    async def withdraw(self, session: Session) -> None:
        """Delete those of a session that has never started. Raises Fault."""


class Withdrawal:
    """Takes sessions back. Raises Fault: then the outcome is unknown, and it may be repeated."""

    def __init__(self, api: Api, secrets: SessionSecrets, claims: Claims) -> None:
        self._api = api
        self._secrets = secrets
        self._claims = claims

    async def withdraw(self, session: Session, known: Workload) -> bool:
        """Delete the objects of a session unless it has started; return whether they are gone."""
        found = await self._newest(session, known)
        pods = await self._api.list(PODS, session.spec.project, f"{SESSION}={session.id}")
        if found is None:
            if pods:
                return False
        elif not is_untouched(found, pods, session) or not await self._deleted(found, pods):
            return False
        await self._secrets.delete(session)
        await self._claims.withdraw(session)
        return True

    async def _newest(self, session: Session, known: Workload) -> Workload | None:
        """Return a workload as it is, None once it is deleted, as by an earlier attempt."""
        found: Workload
        try:
            found = await self._api.get(kind_of(known), session.spec.project, object_name(session))
        except Fault as fault:
            if fault.status != NOT_FOUND:
                raise
            return None
        return found if found.metadata.uid == known.metadata.uid else None

    async def _deleted(self, workload: Workload, pods: Sequence[Pod]) -> bool:
        """Delete a workload and its pods; return False if one of them has changed meanwhile."""
        try:
            for pod in pods:
                await self._delete(PODS, pod, pod.metadata.resource_version)
            # A StatefulSet's status changes with its pod. What runs once starts by a change.
            version = workload.metadata.resource_version if workload.runs_once else ""
            await self._delete(kind_of(workload), workload, version)
        except Fault as fault:
            if fault.status not in {CONFLICT, NOT_FOUND}:
                raise
            return False
        return True

    async def _delete(self, resource: Any, found: Pod | Workload, version: str) -> None:
        await self._api.delete(resource, *found.key, uid=found.metadata.uid, version=version)


def is_untouched(workload: Workload, pods: Sequence[Pod], session: Session) -> bool:
    """Return whether nothing of a session can have run, and nothing runs before it is deleted.

    A training must have no pod, as its command begins with it. The pod of another session must not
    be on a node. A StatefulSet replaces a pod that is deleted before it: with a command of its
    user, the pod must be gated, as the one that replaces it is then.
    """
    if workload.runs_once:
        return not workload.is_up and not workload.is_finished and not pods
    if any(pod.spec.node_name or pod.metadata.deletion_timestamp for pod in pods):
        return False
    gated = bool(pods) and all(pod.spec.scheduling_gates for pod in pods)
    return session.spec.serves_jupyter or gated or not (workload.is_up or pods)
