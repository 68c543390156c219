"""Rights of callers by reviews of the API server."""

from __future__ import annotations

import asyncio
import hmac
import secrets
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import replace

from ...control.access import EntryLog
from ...control.answers import Answers, Clock
from ...core.access import Caller, Rights, Role
from ...errors import Unavailable
from ...model.sessions import LIVE, Session
from ..api import Api, Fault
from ..labels import PREFIXES
from .reviews import KNOWN, RENEW, Reviews, myself
from .roles import OWN, RoleTable, Standing

Find = Callable[[str], Session | None]
"""Returns the session with an id, None if there is none. From memory."""

TokenOf = Callable[[Session], Awaitable[str]]
"""Reads the token of a session's run. Raises Fault, Unavailable."""

_KNOWN = 60.0
_UNREADABLE = 5.0


def new_token(session_id: str) -> str:
    """Return a new token for a session."""
    return f"{session_id}.{secrets.token_urlsafe(32)}"


class SessionTokens:
    """Finds the sessions to which tokens were issued.

    A token names its session, so an unknown one costs no request. Of a session whose token cannot
    be read, it is tried every few seconds, however many tokens are presented for it.
    """

    def __init__(self, find: Find, token_of: TokenOf, clock: Clock = time.monotonic) -> None:
        self.find = find
        self._token_of = token_of
        self._read: Answers[tuple[str, int], str | Unavailable] = Answers(
            lambda issued: _KNOWN if isinstance(issued, str) else _UNREADABLE, clock=clock
        )

    async def session_of(self, token: str) -> Session | None:
        """Return the live session of a token; None for any other token. Raises Unavailable."""
        session = self.find(token.partition(".")[0])
        if session is None or session.state not in LIVE:
            return None
        issued = await self._read.get((session.id, session.run), lambda: self._issued(session))
        if isinstance(issued, Unavailable):
            raise issued
        return session if hmac.compare_digest(issued.encode(), token.encode()) else None

    async def _issued(self, session: Session) -> str | Unavailable:
        """Return the token of a session's run, or why it cannot be read now."""
        try:
            return await self._token_of(session)
        except Unavailable as error:
            return error
        except Fault as fault:
            return Unavailable(
                f"The session's token cannot be checked: {fault}.", hint="Try again in a moment."
            )


REMEMBERED = 600.0
"""Seconds for which callers see what they saw, while the cluster does not say what they may do."""

_MANY = 1024

Projects = Callable[[], Iterable[str]]
"""Returns the names of all projects, which are namespaces. From memory."""


class ClusterAccess:
    """The rights of callers, as the cluster grants them.

    A caller on the controller's socket has the controller's own account, so its own credentials
    are reviewed, for its own sessions only. All others are users whom the hosting has identified:
    `prefixes` make their names those of the cluster's rules, and `team` is the table of roles.
    Rights are those of the cluster's user, whose name owns new sessions.
    """

    def __init__(
        self,
        api: Api,
        team: RoleTable,
        projects: Projects,
        tokens: SessionTokens,
        entries: EntryLog,
        prefixes: Mapping[str, str] = PREFIXES,
        clock: Clock = time.monotonic,
    ) -> None:
        self._api = api
        self._projects = projects
        self._tokens = tokens
        self._entries = entries
        self._prefixes = prefixes
        self._clock = clock
        self._team = Reviews(api, team, clock)
        self._own = Reviews(api, OWN, clock)
        self._me: Answers[str, Caller] = Answers(lambda _: KNOWN, clock=clock, renew=RENEW)
        self._last: dict[Caller, tuple[Rights, float]] = {}

    async def rights(self, caller: Caller) -> Rights:
        """Return a caller's rights, at most a minute old.

        While the cluster does not answer, a caller keeps seeing for ten minutes what was visible
        before, and may do nothing. Raises Unavailable after that, and for others.
        """
        if caller.session:
            return Rights(caller, source=self._team.table.source)
        if caller.known == "session":
            return await self._of_owner(caller)
        try:
            rights = await self._reviewed(caller)
        except Unavailable as error:
            seen, until = self._last.get(caller, (None, 0.0))
            if seen is None or self._clock() >= until:
                raise
            return replace(seen, unsure=error)
        self._last.pop(caller, None)
        self._last[caller] = _only_seeing(rights), self._clock() + REMEMBERED
        if len(self._last) > _MANY:
            del self._last[next(iter(self._last))]
        return rights

    async def session_of(self, token: str) -> Session | None:
        """Return the live session of a token; None for any other token. Raises Unavailable."""
        return await self._tokens.session_of(token)

    async def acted(self, caller: Caller, session: Session, how: str, why: str = "") -> None:
        """Record in the audit log what somebody did with a session. Raises StorageFailed."""
        await self._entries.acted(caller, session, how, why)

    async def _reviewed(self, caller: Caller) -> Rights:
        own = caller.known == "socket"
        reviews = self._own if own else self._team
        user = await self._user(caller)
        if not user.name:
            return Rights(user, source=reviews.table.source)
        reviewed = None if own else user
        admin, found = await asyncio.gather(
            reviews.is_admin(reviewed), reviews.standings(reviewed, self._projects())
        )
        return Rights(
            user,
            admin and not caller.inside,
            roles={name: each.role for name, each in found.items() if each.role},
            withheld={name: each.withheld for name, each in found.items() if each.withheld},
            source=reviews.table.source,
        )

    async def _of_owner(self, caller: Caller) -> Rights:
        """Return the rights of a session's programs: its owner's, in the session's project only.

        Everyone who may create pods in that namespace can read the tokens of its sessions, and must
        not act for their owners elsewhere. Groups are those of the owner's own requests, which a
        JupyterLab sends all the time; without one in the last ten minutes the owner has none.
        """
        session, source = self._tokens.find(caller.inside), self._team.table.source
        if session is None:
            return Rights(caller, source=source)
        project, now = session.spec.project, self._clock()
        recent = (seen.caller for seen, until in reversed(self._last.values()) if now < until)
        owner = next((each for each in recent if each.name == caller.name), caller)
        user = replace(owner, known=caller.known, inside=caller.inside)
        standing = (await self._team.standings(user, [project])).get(project, Standing())
        if standing.role not in source.owners:
            return Rights(user, source=source)
        withheld = {project: standing.withheld}
        return Rights(user, roles={project: "member"}, withheld=withheld, source=source)

    async def _user(self, caller: Caller) -> Caller:
        """Return a caller as the cluster's user; without a name if there is none."""
        if caller.known != "socket":
            return as_user(caller, self._prefixes)
        me = await self._me.get("", lambda: myself(self._api))
        return replace(caller, name=me.name, groups=me.groups)


def _only_seeing(rights: Rights) -> Rights:
    """Return rights that were reviewed, reduced to seeing."""
    roles: dict[str, Role] = dict.fromkeys(rights.roles, "viewer")
    return replace(rights, admin=False, roles=roles, withheld={})


_RESERVED = "system:"
"""What the cluster's own users and groups begin with."""


def as_user(caller: Caller, prefixes: Mapping[str, str]) -> Caller:
    """Return a caller with the name and groups that the cluster's rules are about.

    Names that the cluster reserves are accepted from the cluster alone: from elsewhere, such a
    group is left out, and a caller with such a name has no rights. So are `uid` and `extra`.
    """
    prefix = prefixes.get(caller.known, f"{caller.known or 'other'}:")
    name, groups = prefix + caller.name, {prefix + group for group in caller.groups}
    if caller.known != "kubernetes":
        groups = {group for group in groups if not group.startswith(_RESERVED)}
        name = "" if name.startswith(_RESERVED) else name
        caller = replace(caller, uid="", extra=())
    return replace(caller, name=name, groups=frozenset(groups))
