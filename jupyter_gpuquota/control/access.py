"""Rights, from the members, viewers and leads of projects and the configured admins."""

from __future__ import annotations

import hmac
from base64 import urlsafe_b64encode
from collections.abc import Awaitable, Callable, Collection
from functools import partial

from ..core.access import Caller, Rights, rights_of
from ..model.sessions import LIVE, Session
from .administration import Administrator
from .board import Board
from .capabilities import Work

ROOT = "root"


class ProjectAccess:
    """The rights of callers by the settings on the board.

    `admins` are the configured names and `group:NAME` entries, however a caller was authenticated.
    Without any, `owners` are admins: accounts of this machine, authenticated by the socket. A
    JupyterHub user with the same name as the controller's account is a different user.

    `key` is the secret from which sessions' tokens are derived: a token is valid for one run of a
    session, and is not stored. Entries go into the audit log of `admin`, through `work`.
    """

    def __init__(
        self,
        board: Board,
        admin: Administrator,
        work: Work,
        admins: Collection[str],
        owners: Collection[str],
        key: bytes,
    ) -> None:
        self._board = board
        self._admins = admins
        self._accounts = {ROOT} if admins else {ROOT, *owners}
        self._key = key
        self._entries = EntryLog(partial(work, admin.note))

    async def rights(self, caller: Caller) -> Rights:
        """Return a caller's present rights; root on a socket is this machine's administrator.

        A program in a session is never an admin, because any user who may launch can choose it.
        """
        account = caller.known == "socket" and caller.name in self._accounts
        person = not (caller.session or caller.inside)
        admin = person and (account or caller.among(self._admins))
        return rights_of(caller, self._board.settings.projects, admin=admin)

    def token_of(self, session: Session) -> str:
        """Return the token that authenticates a session's run."""
        return token_of(self._key, session.id, session.run)

    async def session_of(self, token: str) -> Session | None:
        """Return the live session to which a token was issued; None for any other token."""
        session = self._board.by_id.get(token.partition(".")[0])
        if session is None or session.state not in LIVE:
            return None
        known = hmac.compare_digest(self.token_of(session).encode(), token.encode())
        return session if known else None

    async def acted(self, caller: Caller, session: Session, how: str, why: str = "") -> None:
        """Record in the audit log what somebody did with a session. Raises StorageFailed."""
        await self._entries.acted(caller, session, how, why)


def token_of(key: bytes, session_id: str, run: int) -> str:
    """Return the token of a session's run."""
    found = hmac.digest(key, f"{session_id} {run}".encode(), "sha256")
    return f"{session_id}.{urlsafe_b64encode(found).decode().rstrip('=')}"


Note = Callable[[str, str], Awaitable[object]]
"""Adds what a person did to the audit log. Raises StorageFailed."""


class EntryLog:
    """Records what admins and leads did with sessions of others."""

    def __init__(self, note: Note) -> None:
        self._note = note
        self._opened: set[tuple[str, str, int]] = set()

    async def acted(self, caller: Caller, session: Session, how: str, why: str = "") -> None:
        """Record what somebody did with a session, and why; that they opened it, once per run.

        Raises StorageFailed.
        """
        key = (caller.name, session.id, session.run)
        if how == "opened" and key in self._opened:
            return
        name = f"{session.spec.project}/{session.spec.name}"
        said = f": {why}" if why else ""
        await self._note(caller.name, f"{how} the session {name} of {session.owner}{said}")
        if how == "opened":
            self._opened.add(key)
