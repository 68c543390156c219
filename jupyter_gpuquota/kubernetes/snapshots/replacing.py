"""Letting the original session mount restored claims in the place of its own, and back.

The session is at rest; its pods are made anew when it starts. What it mounts is one write of its
record, so that each of these steps can be repeated after a kill.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping

from msgspec.structs import replace

from ...errors import Conflict, Internal, InUse
from ...model.sessions import Session
from ...model.snapshots.manifest import Manifest
from ...ports.sessions import Sessions
from .journal import ClaimRestore
from .kept import KeptClaims

Remount = Callable[[str, Mapping[str, str]], Awaitable[Session]]
"""Lets a session at rest mount other claims, by the names of those that they replace."""


class Replacing:
    """Replaces the claims of sessions.

    `home` returns the claim of a user's home folder, empty without one: all sessions of the user
    mount it, so that it is never replaced.
    """

    def __init__(self, kept: KeptClaims, home: Callable[[str], str]) -> None:
        self.sessions: Sessions | None = None
        self.remount: Remount | None = None
        """Both are set when the backend is complete."""
        self._kept = kept
        self._home = home

    def volumes(self, manifest: Manifest) -> list[str]:
        """Return the copied claims that a session has of its own."""
        home = self._home(manifest.owner)
        return [each.volume for each in manifest.volumes if each.handle and each.volume != home]

    def original(self, manifest: Manifest) -> Session | None:
        """Return the session of a snapshot, None if it is gone or has no claims of its own."""
        found = (each for each in self._all() if each.id == manifest.session)
        session = next((each for each in found if each.owner == manifest.owner), None)
        return session if self.volumes(manifest) else None

    def obstacle(self, manifest: Manifest) -> str:
        """Return why the claims of a session cannot be replaced, empty if they can."""
        if not self.volumes(manifest):
            return (
                "The snapshot has no volumes besides the home folder. All of your sessions share "
                "that, so that it is not replaced."
            )
        if self.original(manifest) is None:
            return f"The session {manifest.name} no longer exists: restore into a new one."
        return ""

    async def put(self, record: ClaimRestore) -> ClaimRestore:
        """Let the original session mount the restored claims; its own ones are kept."""
        shown, volumes = record.shown, self._volumes(record)
        namespace = record.wanted[0].namespace
        kept = await self._kept.keep(namespace, volumes, shown.owner, shown.id)
        await self._mount(shown.replaces, volumes)
        return replace(record, shown=replace(shown, kept=", ".join(kept)))

    async def put_back(self, record: ClaimRestore) -> ClaimRestore:
        """Let the original session mount its own claims again. Raises Conflict."""
        shown, volumes = record.shown, self._volumes(record)
        if gone := await self._kept.missing(record.wanted[0].namespace, volumes):
            raise Conflict(
                f"These volumes were deleted: {', '.join(gone)}.",
                hint=f"{shown.place} keeps the restored ones: jupyter gpu snapshot confirm.",
            )
        await self._mount(shown.replaces, {new: old for old, new in volumes.items()})
        await self.release(record)
        return replace(record, shown=replace(shown, kept=""))

    async def release(self, record: ClaimRestore) -> None:
        """Forget that claims are kept; they stay as they are."""
        await self._kept.release(record.wanted[0].namespace, record.shown.id)

    async def remove_kept(self, record: ClaimRestore) -> None:
        """Remove the claims that were kept. Raises InUse while another session mounts one."""
        namespace = record.wanted[0].namespace
        kept = [name for name in record.shown.kept.split(", ") if name]
        if users := sorted(self._users(namespace, kept)):
            raise InUse(
                f"These sessions mount the original volumes: {', '.join(users)}.",
                hint="Delete these sessions, or leave the restore as it is.",
            )
        await self._kept.remove(namespace, record.shown.id)

    def unmounted(self, record: ClaimRestore) -> list[str]:
        """Return the restored claims that no session mounts."""
        return [each.name for each in record.wanted if not self._users(each.namespace, [each.name])]

    async def _mount(self, session: str, volumes: Mapping[str, str]) -> None:
        if self.remount is None:
            raise Internal("The backend is not complete.")
        await self.remount(session, volumes)

    def _volumes(self, record: ClaimRestore) -> dict[str, str]:
        """Return the restored claims by those that they replace."""
        home = self._home(record.shown.owner)
        return {each.origin: each.name for each in record.wanted if each.origin != home}

    def _users(self, namespace: str, claims: Iterable[str]) -> set[str]:
        names = set(claims)
        return {
            each.spec.name
            for each in self._all()
            if each.spec.project == namespace
            and any(mount.volume in names for mount in each.spec.mounts)
        }

    def _all(self) -> Iterable[Session]:
        return self.sessions.all() if self.sessions else ()
