"""The Secrets of sessions: their tokens, and their records while they have no workload."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import msgspec

from ...model.sessions import Session
from ..api import Api, Fault
from ..labels import RECORD, SESSION, TOKEN_KEY, object_name
from ..objects.meta import Object
from ..resources import SECRETS, Resource
from ..state.record import Record, encode

NOT_FOUND, CONFLICT = 404, 409


class SessionSecrets:
    """Reads and writes the Secrets of sessions. Every method may raise Fault.

    `new_token` returns a new token for the session with an id.
    """

    def __init__(self, api: Api, new_token: Callable[[str], str]) -> None:
        self._api = api
        self._new_token = new_token

    async def put(self, session: Session, body: Mapping[str, Any], version: str) -> None:
        """Write a Secret of which a version was read, empty for none.

        So a token that another controller has made meanwhile is never replaced.
        """
        if not version:
            await self._api.create(SECRETS, session.spec.project, without_nulls(body))
            return
        meta = {**body["metadata"], "resourceVersion": version}
        await self._api.patch(
            SECRETS, session.spec.project, object_name(session), {**body, "metadata": meta}
        )

    async def token(self, session: Session) -> tuple[str, str]:
        """Return the token of a session, a new one where it has none, and its Secret's version."""
        path = SECRETS.path(session.spec.project, object_name(session))
        try:
            found = msgspec.json.decode(await self._api.read(path))
        except Fault as fault:
            if fault.status != NOT_FOUND:
                raise
            return self._new_token(session.id), ""
        meta, data = found["metadata"], found.get("data", {}).get(TOKEN_KEY)
        if meta.get("labels", {}).get(SESSION) != session.id:
            raise taken(SECRETS, session)
        token = base64.b64decode(data).decode() if data else self._new_token(session.id)
        return token, meta["resourceVersion"]

    async def save(self, record: Record) -> None:
        """Write the record of a session without a workload."""
        body = {"metadata": {"annotations": {RECORD: encode(record)}}}
        await self._api.patch(
            SECRETS, record.session.spec.project, object_name(record.session), body
        )

    async def keeper(self, session: Session) -> Object | None:
        """Return the Secret that keeps a session's record, None if none does."""
        try:
            found = await self._api.get(SECRETS, session.spec.project, object_name(session))
        except Fault as fault:
            if fault.status != NOT_FOUND:
                raise
            return None
        meta = found.metadata
        return (
            found if meta.labels.get(SESSION) == session.id and RECORD in meta.annotations else None
        )

    async def delete(self, session: Session) -> None:
        """Delete the Secret of a session, if there is one."""
        with gone_already():
            found = await self._api.get(SECRETS, session.spec.project, object_name(session))
            if found.metadata.labels.get(SESSION) == session.id:
                await self._api.delete(SECRETS, *found.key, uid=found.metadata.uid)


def taken(resource: Resource[Any], session: Session) -> Fault:
    """Return the fault of a name that an object of something else has."""
    name = object_name(session)
    return Fault(CONFLICT, "AlreadyExists", f"{resource.kind} {name} belongs to something else")


@contextmanager
def gone_already() -> Iterator[None]:
    """Accept that an object to delete does not exist any more."""
    try:
        yield
    except Fault as fault:
        if fault.status != NOT_FOUND:
            raise


def without_nulls(body: Mapping[str, Any]) -> dict[str, Any]:
    """Return a merge patch as a manifest for creation."""
    meta = {key: value for key, value in body["metadata"].items() if value is not None}
    if "annotations" in meta:
        meta["annotations"] = {k: v for k, v in meta["annotations"].items() if v is not None}
    return {**body, "metadata": meta}
