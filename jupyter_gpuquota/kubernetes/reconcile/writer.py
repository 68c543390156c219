"""The writes of a session's objects. Each may be repeated, so that any of them may be the last."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Any, Protocol, TypeVar

from ...model.sessions import Session
from ..api import Api, Fault, Manifest
from ..labels import COMPLETE, RECORD, SESSION, SHAPE, object_name
from ..objects.workloads import Workload
from ..resources import SECRETS, Resource
from ..state.record import Record, encode, shape_of
from .kinds import Manifests, kind_of
from .secrets import CONFLICT, NOT_FOUND, SessionSecrets, gone_already, taken, without_nulls
from .withdrawal import Withdrawal

_NO_ANSWER, _SERVER_ERROR = 0, 500
VERSIONS = 5
"""Most versions of a workload that a write is tried on."""

T = TypeVar("T")


class Overtaken(Fault):
    """Another controller has changed the record of a session; `workload` has the newer one."""

    def __init__(self, fault: Fault, workload: Workload) -> None:
        super().__init__(fault.status, fault.reason, fault.message, request=fault.request)
        self.workload = workload


class Claims(Protocol):
    """What makes the claims that sessions ask for."""

    async def make(self, session: Session) -> None:
        """Make those of a session that starts, unless they are there. Raises Fault."""

    async def withdraw(self, session: Session) -> None:
        """Delete those of a session that has never started. Raises Fault."""


class Writer:
    """Writes the objects of sessions. Every method may raise Fault.

    A workload is changed only while its record is the one that the caller has seen, else Overtaken
    is raised: a user may have a controller on two machines.
    """

    def __init__(
        self, api: Api, manifests: Manifests, secrets: SessionSecrets, claims: Claims
    ) -> None:
        self._api = api
        self._manifests = manifests
        self.secrets = secrets
        self._claims = claims
        self.withdrawal = Withdrawal(api, secrets, claims)

    async def create(self, record: Record) -> Workload:
        """Create the workload without pods: from then on the session exists."""
        session = record.session
        resource, manifest = await self._manifests.workload(session)
        body = _merged(
            manifest,
            annotations={RECORD: encode(record), SHAPE: shape_of(session)},
        )
        try:
            created: Workload = await self._api.create(resource, session.spec.project, body)
        except Fault as fault:
            if fault.status not in (_NO_ANSWER, CONFLICT) and fault.status < _SERVER_ERROR:
                raise
            return await self._created(resource, session, fault)
        return created

    async def _created(self, resource: Resource[Any], session: Session, fault: Fault) -> Workload:
        """Return a workload whose creation was not confirmed; raise the fault if there is none."""
        found: Workload
        try:
            found = await self._api.get(resource, session.spec.project, object_name(session))
        except Fault:
            raise fault from None
        if found.metadata.labels.get(SESSION) != session.id:
            raise fault
        return found

    async def start(self, record: Record, workload: Workload, *, unsuspend: bool) -> Workload:
        """Make what the pod needs, then let the workload have one.

        Without `unsuspend` one that runs once is left to its engine.
        """
        await self._claims.make(record.session)
        await self._make_children(record.session, workload)
        spec = workload.starting if unsuspend or not workload.runs_once else {}
        labels = self._manifests.released(record.session) if record.session.spec.data else {}
        return await self._write(record, workload, {COMPLETE: "true"}, spec, labels)

    async def stop(self, record: Record, workload: Workload) -> Workload:
        """Let a StatefulSet have no pod, in the same write as the record."""
        return await self._write(record, workload, {COMPLETE: None}, {"replicas": 0})

    async def save(self, record: Record, workload: Workload) -> Workload:
        """Write the record alone."""
        return await self._write(record, workload, {}, {})

    async def remove(self, record: Record, workload: Workload) -> None:
        """Keep the record in the Secret, which then has no owner, and delete the workload."""
        session = record.session
        token, version = await self.secrets.token(session)
        # In this order: whoever creates the workload again writes the Secret after that.
        workload = await self._unchanged(session, workload)
        [manifest] = [
            m
            for kind, m in self._manifests.children(session, token, kind_of(workload))
            if kind is SECRETS
        ]
        kept = _merged(manifest, annotations={RECORD: encode(record)})
        kept["metadata"]["ownerReferences"] = None
        await self.secrets.put(session, kept, version)
        await self._delete_workload(session, workload)

    async def delete(self, session: Session, workload: Workload | None) -> None:
        """Delete a session; its Secret goes first, as it may hold a record."""
        with gone_already():
            if workload is not None:
                workload = await self._unchanged(session, workload)
        await self.secrets.delete(session)
        if workload is not None:
            await self._delete_workload(session, workload)

    async def _write(
        self,
        record: Record,
        workload: Workload,
        annotations: Mapping[str, str | None],
        spec: Mapping[str, Any],
        labels: Mapping[str, str] = MappingProxyType({}),
    ) -> Workload:
        session = record.session
        resource = kind_of(workload)

        async def write(expected: Workload) -> Workload:
            meta: dict[str, Any] = {
                **_identity(expected),
                "annotations": {RECORD: encode(record), **annotations},
            }
            if labels:
                meta["labels"] = dict(labels)
            body = {"metadata": meta, **({"spec": spec} if spec else {})}
            written: Workload = await self._api.patch(
                resource, session.spec.project, object_name(session), body
            )
            return written

        return await self._guarded(session, workload, write)

    async def _guarded(
        self, session: Session, workload: Workload, write: Callable[[Workload], Awaitable[T]]
    ) -> T:
        """Return the result of a write that needs the newest version of a workload.

        Versions change with the status, too, which does not matter here. Raises Overtaken.
        """
        for _ in range(VERSIONS):
            try:
                return await write(workload)
            except Fault as fault:
                if fault.status != CONFLICT:
                    raise
                workload = await self._unchanged(session, workload, fault)
        return await write(workload)

    async def _unchanged(
        self, session: Session, workload: Workload, fault: Fault | None = None
    ) -> Workload:
        """Return the newest version of a workload. Raises Overtaken if its record has changed."""
        found: Workload = await self._api.get(
            kind_of(workload), session.spec.project, object_name(session)
        )
        if found.metadata.labels.get(SESSION) != session.id:
            about = f"{found.metadata.name} belongs to something else"
            raise Fault(NOT_FOUND, "NotFound", about)
        if found.metadata.uid != workload.metadata.uid or _record_of(found) != _record_of(workload):
            about = f"the session {session.spec.name} was changed by another controller"
            raise Overtaken(fault or Fault(CONFLICT, "Conflict", about), found)
        return found

    async def _delete_workload(self, session: Session, workload: Workload) -> None:
        resource, namespace = kind_of(workload), session.spec.project

        async def delete(expected: Workload) -> None:
            meta = expected.metadata
            name = object_name(session)
            await self._api.delete(
                resource, namespace, name, uid=meta.uid, version=meta.resource_version
            )

        with gone_already():
            await self._guarded(session, workload, delete)

    async def _make_children(self, session: Session, workload: Workload) -> None:
        resource = kind_of(workload)
        owner = {
            "apiVersion": resource.api_version,
            "kind": resource.kind,
            "name": workload.metadata.name,
            "uid": workload.metadata.uid,
            "controller": True,
        }
        token, version = await self.secrets.token(session)
        for kind, manifest in self._manifests.children(session, token, resource):
            if kind is SECRETS:
                body = _merged(manifest, annotations={RECORD: None}, owners=[owner])
                await self.secrets.put(session, body, version)
            else:
                await self._ensure(kind, session, _merged(manifest, owners=[owner]))

    async def _ensure(
        self, resource: Resource[Any], session: Session, body: Mapping[str, Any]
    ) -> None:
        """Create an object, or change the one that the session has already."""
        namespace, name = session.spec.project, body["metadata"]["name"]
        try:
            await self._api.create(resource, namespace, without_nulls(body))
        except Fault as fault:
            if fault.reason != "AlreadyExists":
                raise
            present = await self._api.get(resource, namespace, name)
            if present.metadata.labels.get(SESSION) != session.id:
                raise taken(resource, session) from None
            meta = {**body["metadata"], "uid": present.metadata.uid}
            await self._api.patch(resource, namespace, name, {**body, "metadata": meta})


def _identity(workload: Workload) -> dict[str, str]:
    """Return the metadata that makes a write fail on another object, and on another version."""
    return {"uid": workload.metadata.uid, "resourceVersion": workload.metadata.resource_version}


def _record_of(workload: Workload) -> str:
    return workload.metadata.annotations.get(RECORD, "")


def _merged(
    manifest: Manifest,
    annotations: Mapping[str, str | None] | None = None,
    owners: list[dict[str, Any]] | None = None,
) -> dict[str, Any]:
    """Return a manifest with more annotations and its owners."""
    meta = {**manifest["metadata"]}
    if annotations:
        meta["annotations"] = {**meta.get("annotations", {}), **annotations}
    if owners:
        meta["ownerReferences"] = owners
    return {**manifest, "metadata": meta}
