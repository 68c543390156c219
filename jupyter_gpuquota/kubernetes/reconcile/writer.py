"""The writes of a session's objects. Each may be repeated, so that any of them may be the last."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from ...model.sessions import Session
from ..api import Api, Fault, Manifest
from ..labels import COMPLETE, RECORD, SESSION, SHAPE
from ..names import TOKEN_KEY, object_name
from ..objects.workloads import StatefulSet, Workload
from ..resources import SECRETS, Resource
from ..state.record import Record, encode, shape_of
from .manifests import Manifests, workload_resource

NOT_FOUND, CONFLICT = 404, 409
_NO_ANSWER, _SERVER_ERROR = 0, 500


class Writer:
    """Writes the objects of sessions. Every method may raise Fault.

    `new_token` returns a new token for the session with an id.
    """

    def __init__(self, api: Api, manifests: Manifests, new_token: Callable[[str], str]) -> None:
        self._api = api
        self._manifests = manifests
        self._new_token = new_token

    async def create(self, record: Record) -> Workload:
        """Create the workload without pods: from then on the session exists."""
        session = record.session
        resource, namespace = workload_resource(session.spec), session.spec.project
        body = _merged(
            self._manifests.workload(session),
            annotations={RECORD: encode(record), SHAPE: shape_of(session)},
        )
        try:
            created: Workload = await self._api.create(resource, namespace, body)
        except Fault as fault:
            if fault.status not in (_NO_ANSWER, CONFLICT) and fault.status < _SERVER_ERROR:
                raise
            return await self._created(session, fault)
        return created

    async def _created(self, session: Session, fault: Fault) -> Workload:
        """Return a workload whose creation was not confirmed; raise the fault if there is none."""
        found: Workload
        try:
            found = await self._api.get(
                workload_resource(session.spec), session.spec.project, object_name(session)
            )
        except Fault:
            raise fault from None
        if found.metadata.labels.get(SESSION) != session.id:
            raise fault
        return found

    async def start(self, record: Record, workload: Workload, *, unsuspend: bool) -> Workload:
        """Make what the pod needs, then let the workload have one.

        Without `unsuspend` a suspended Job is left to its engine.
        """
        await self._make_children(record.session, workload)
        one: dict[str, Any] = {"suspend": False} if unsuspend else {}
        spec = {"replicas": 1} if isinstance(workload, StatefulSet) else one
        return await self._write(record, workload, {COMPLETE: "true"}, spec)

    async def stop(self, record: Record, workload: Workload) -> Workload:
        """Let a StatefulSet have no pod, in the same write as the record."""
        return await self._write(record, workload, {COMPLETE: None}, {"replicas": 0})

    async def save(self, record: Record, workload: Workload) -> Workload:
        """Write the record alone."""
        return await self._write(record, workload, {}, {})

    async def save_detached(self, record: Record) -> None:
        """Write the record of a session without a workload."""
        body = {"metadata": {"annotations": {RECORD: encode(record)}}}
        await self._api.patch(
            SECRETS, record.session.spec.project, object_name(record.session), body
        )

    async def remove(self, record: Record, workload: Workload) -> None:
        """Keep the record in the Secret, which then has no owner, and delete the workload."""
        session = record.session
        secret = await self._secret(session)
        secret["metadata"]["annotations"] = {
            **secret["metadata"].get("annotations", {}),
            RECORD: encode(record),
        }
        secret["metadata"]["ownerReferences"] = None
        await self._ensure(SECRETS, session, secret)
        await self._delete(workload_resource(session.spec), session, workload.metadata.uid)

    async def delete(self, session: Session, workload: Workload | None, *, detached: bool) -> None:
        """Delete a session; `detached`: its Secret may hold a record, so it goes first."""
        if detached:
            await self._delete(SECRETS, session)
        if workload is not None:
            await self._delete(workload_resource(session.spec), session, workload.metadata.uid)

    async def _write(
        self,
        record: Record,
        workload: Workload,
        annotations: Mapping[str, str | None],
        spec: Mapping[str, Any],
    ) -> Workload:
        meta = {
            "uid": workload.metadata.uid,
            "annotations": {RECORD: encode(record), **annotations},
        }
        body = {"metadata": meta, **({"spec": spec} if spec else {})}
        session = record.session
        resource = workload_resource(session.spec)
        written: Workload = await self._api.patch(
            resource, session.spec.project, object_name(session), body
        )
        return written

    async def _make_children(self, session: Session, workload: Workload) -> None:
        resource = workload_resource(session.spec)
        owner = {
            "apiVersion": resource.api_version,
            "kind": resource.kind,
            "name": workload.metadata.name,
            "uid": workload.metadata.uid,
            "controller": True,
        }
        for kind, manifest in self._manifests.children(session, await self._token(session)):
            body = _merged(manifest, owners=[owner])
            if kind is SECRETS:
                body["metadata"]["annotations"] = {
                    **body["metadata"].get("annotations", {}),
                    RECORD: None,
                }
            await self._ensure(kind, session, body)

    async def _ensure(
        self, resource: Resource[Any], session: Session, body: Mapping[str, Any]
    ) -> None:
        """Create an object, or change the one that the session has already."""
        namespace, name = session.spec.project, body["metadata"]["name"]
        try:
            await self._api.create(resource, namespace, _without_nulls(body))
        except Fault as fault:
            if fault.reason != "AlreadyExists":
                raise
            present = await self._api.get(resource, namespace, name)
            if present.metadata.labels.get(SESSION) != session.id:
                raise Fault(
                    CONFLICT,
                    "AlreadyExists",
                    f"{resource.kind} {name} belongs to something else",
                    request=fault.request,
                ) from None
            meta = {**body["metadata"], "uid": present.metadata.uid}
            await self._api.patch(resource, namespace, name, {**body, "metadata": meta})

    async def _secret(self, session: Session) -> dict[str, Any]:
        children = self._manifests.children(session, await self._token(session))
        return _merged(next(body for kind, body in children if kind is SECRETS))

    async def _token(self, session: Session) -> str:
        """Return the token of a session, a new one where it has none."""
        path = SECRETS.path(session.spec.project, object_name(session))
        try:
            found = msgspec.json.decode(await self._api.read(path))
        except Fault as fault:
            if fault.status != NOT_FOUND:
                raise
            return self._new_token(session.id)
        data = found.get("data", {}).get(TOKEN_KEY)
        return base64.b64decode(data).decode() if data else self._new_token(session.id)

    async def _delete(self, resource: Resource[Any], session: Session, uid: str = "") -> None:
        try:
            await self._api.delete(resource, session.spec.project, object_name(session), uid=uid)
        except Fault as fault:
            if fault.status not in (NOT_FOUND, CONFLICT):  # another object has the name now
                raise


def _merged(
    manifest: Manifest,
    annotations: Mapping[str, str] | None = None,
    owners: list[dict[str, Any]] | None = None,
) -> dict[str, Any]:
    """Return a manifest with more annotations and its owners."""
    meta = {**manifest["metadata"]}
    if annotations:
        meta["annotations"] = {**meta.get("annotations", {}), **annotations}
    if owners:
        meta["ownerReferences"] = owners
    return {**manifest, "metadata": meta}


def _without_nulls(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return a merge patch as a manifest for creation."""
    meta = {key: value for key, value in body["metadata"].items() if value is not None}
    if "annotations" in meta:
        meta["annotations"] = {k: v for k, v in meta["annotations"].items() if v is not None}
    return {**body, "metadata": meta}
