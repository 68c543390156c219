"""The rules of users, and what is remembered for them, in the controller's own objects."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime
from typing import TypeVar

import msgspec

from ...core.snapshots import identity, rests
from ...core.snapshots.rests import Rests
from ...errors import NotFound
from ...model.sessions import Session
from ...model.snapshots.snapshots import SnapshotRules
from ...store.lake.objects import Objects

T = TypeVar("T", bound=msgspec.Struct)


class Rules:
    """When snapshots of users are taken and removed by themselves."""

    def __init__(self, own: Objects) -> None:
        self._own = own

    async def rules(self, user: str) -> SnapshotRules:
        """Return the rules of a user. Raises Unavailable."""
        return await self._read(identity.rules_key(user), SnapshotRules())

    async def put(self, user: str, rules: SnapshotRules) -> None:
        """Set the rules of a user. Raises StorageFailed, Unavailable."""
        known, before = await self.rests(user), await self.rules(user)
        now = datetime.now(UTC)
        if (after := rests.switched(known, before, rules, now)) != known:
            await self._write(identity.rests_key(user), after)
        await self._write(identity.rules_key(user), rules)

    async def rests(self, user: str) -> Rests:
        """Return what is remembered of resting sessions of a user. Raises Unavailable."""
        return await self._read(identity.rests_key(user), Rests())

    async def stored(self, session: Session, there: Collection[str]) -> None:
        """Remember that a session was stored; `there` are the ids of all sessions.

        Raises StorageFailed, Unavailable.
        """
        known = await self.rests(session.owner)
        after = rests.stored(known, session, there)
        await self._write(identity.rests_key(session.owner), after)

    async def _read(self, key: str, default: T) -> T:
        try:
            return msgspec.json.decode(await self._own.get(key), type=type(default))
        except NotFound:
            return default

    async def _write(self, key: str, value: msgspec.Struct) -> None:
        await self._own.put(key, msgspec.json.encode(value))
