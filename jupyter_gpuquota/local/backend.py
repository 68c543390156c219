"""Sessions as processes of this machine: the local backend.

Reads come from memory at once. What changes something is done by the engine in one worker
thread; what only looks at files or processes runs in threads of its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import partial

from ..core.history import Window
from ..core.idle_week import Stretch
from ..core.policy import Ruling
from ..model.about import Revisions
from ..model.environments import Environment, LaunchPlace
from ..model.history import History
from ..model.idleness import Activity, PresenceRequest
from ..model.nodes import Reading
from ..model.policy import Policy
from ..model.projects import AuditEntry, Groups, SetBy
from ..model.quota import Project, Rules
from ..model.resources import Node, Share
from ..model.sessions import (
    Endpoint,
    ExecContext,
    ExecRequest,
    ExecResult,
    LogChunk,
    LogQuery,
    Session,
    SessionRequest,
    SessionSpec,
)
from . import environments, execution, ingress, logs
from .base import QUIET, Base


class _Reads(Base):
    """Answer at once, from memory."""

    name = "local"

    @property
    def source(self) -> str:
        """Tell where GPUs come from: `nvml`, `simulated` or `none`."""
        return self._devices.source

    @property
    def instance(self) -> str:
        """Tell the life that revisions belong to."""
        return self._board.instance

    def warnings(self) -> tuple[str, ...]:
        """Say what an admin should hear of."""
        troubles = (self._trouble, self._looker.trouble, self._webhook.trouble)
        own = (self._devices.problem, *troubles)
        engine = self._engine
        kept = (*engine.state.warnings(), *engine.history.warnings(), *engine.admin.warnings())
        return (*(text for text in own if text), *kept)

    def revision(self, noun: str) -> int:
        """Tell the revision of a noun."""
        return self._board.revision(noun)

    async def changed(self, since: int, timeout: float) -> Revisions:
        """Wait until the counter is past `since`, or `timeout` seconds; return all revisions."""
        return await self._board.changed(since, timeout)

    def sessions(self) -> tuple[Session, ...]:
        """List all sessions, oldest first."""
        return self._board.sessions

    def projects(self) -> tuple[Project, ...]:
        """List the projects."""
        return self._board.settings.projects

    def rules(self) -> Rules:
        """Tell what holds for all projects."""
        return self._board.settings.rules

    def nodes(self) -> tuple[Node, ...]:
        """List nodes and devices."""
        return self._board.nodes

    def readings(self) -> Mapping[str, Reading]:
        """Map a device's UUID to its newest reading."""
        return self._board.readings


class _Abilities(Base):
    """Do what only some backends can: logs, programs inside sessions, an ingress, a history."""

    async def log(self, session_id: str, query: LogQuery) -> LogChunk:
        """Read a part of a log; empty if nothing was printed. Raises NotFound."""
        session = self._engine.find(session_id)
        ended = session.state in QUIET  # before reading: nothing is added after it
        return await asyncio.to_thread(logs.chunk, self._folder(session).path, query, ended=ended)

    async def execute(self, session_id: str, request: ExecRequest) -> ExecResult:
        """Run a program to its end or timeout. Raises InvalidFields, NotFound, WrongState."""
        execution.check(request)
        context = await self.context(session_id)
        return await execution.execute(context, request, self._engine.groups)

    async def context(self, session_id: str) -> ExecContext:
        """Tell environment variables and folder. Raises NotFound, WrongState."""
        session = self._engine.find(session_id)
        launch = await asyncio.to_thread(self._folder(session).launch, session.run)
        return execution.context_of(session, launch)

    async def endpoint(self, session_id: str, port: int) -> Endpoint:
        """Tell where a running session listens. Raises NotFound, WrongState, NotAllowed."""
        session = self._engine.find(session_id)
        ingress.check_exposed(session, port)
        return await asyncio.to_thread(ingress.find_endpoint, session, self._folder(session), port)

    async def presence(self, session_id: str, seen: PresenceRequest) -> None:
        """Hear that a person used a session. Raises NotFound."""
        await self._presence.hear(self._engine.find(session_id), seen)

    async def history(self, window: Window) -> History:
        """Tell how projects used GPUs in a time. Raises StorageFailed."""
        kept = self._engine.history
        found = await self._work(kept.read, window, datetime.now(UTC))
        return await asyncio.to_thread(kept.tell, found, window)


class _Administration(Base):
    """Let admins set projects, rules, node groups and the policy."""

    def is_admin(self, user: str) -> bool:
        """Tell whether a user may change projects."""
        return self._engine.admin.is_admin(user)

    def set_by(self) -> SetBy:
        """Tell where projects are set."""
        return self._board.settings.source

    def quota_path(self) -> str:
        """Tell the file that sets projects, empty for none."""
        return self._engine.admin.path

    def setting_warnings(self) -> tuple[str, ...]:
        """Say what is wrong with where projects are set."""
        return self._engine.admin.warnings()

    def groups(self) -> Groups:
        """Tell the node groups."""
        return self._board.settings.groups

    def found_nodes(self) -> tuple[Node, ...]:
        """List nodes as they are found, without the groups set here."""
        return self._engine.admin.found_nodes

    async def put_project(self, project: Project, who: str) -> Project:
        """Make a project or change one. Raises Outdated, Conflict, StorageFailed."""
        return await self._act(self._engine.admin.put_project, project, who)

    async def delete_project(
        self, name: str, revision: int, who: str, *, drain: bool
    ) -> Project | None:
        """Delete a project, or let it drain. Raises NotFound, InUse, Outdated, Conflict."""
        work = partial(self._engine.admin.delete_project, name, revision, who, drain=drain)
        return await self._act(work)

    async def put_rules(self, rules: Rules, who: str) -> Rules:
        """Change the rules. Raises Outdated, Conflict, StorageFailed."""
        return await self._act(self._engine.admin.put, "rules", rules, who)

    async def put_groups(self, groups: Groups, who: str) -> Groups:
        """Change the node groups. Raises Outdated, Conflict, StorageFailed."""
        return await self._act(self._engine.admin.put, "groups", groups, who)

    async def put_policy(self, policy: Policy, who: str) -> Policy:
        """Change the policy as a whole. Raises Outdated, Conflict, StorageFailed."""
        return await self._act(self._engine.admin.put, "policy", policy, who)

    async def audit(self) -> tuple[AuditEntry, ...]:
        """List who changed what, newest first."""
        return await self._work(self._engine.admin.audit)


class _Policing(Base):
    """Act on idle sessions."""

    def policy(self) -> Policy:
        """Tell what is set of the policy."""
        return self._board.settings.policy

    @property
    def interval(self) -> int:
        """Tell the seconds between two looks at a session."""
        return self._config.idle_interval

    def ruling(self, session_id: str) -> Ruling:
        """Say what the policy comes to for a session now. Raises NotFound."""
        return self._engine.idle.ruling(self._engine.find(session_id))

    def activity(self, session_id: str) -> Activity:
        """Tell what is known of a session's activity. Raises NotFound, WrongState."""
        return self._engine.idle.activity(self._engine.find(session_id))

    async def recorded(self, since: datetime) -> list[Stretch]:
        """Return what was recorded of the sessions' activity. Raises StorageFailed."""
        return await self._work(self._engine.week.read, int(since.timestamp()))

    async def keep_alive(self, session_id: str, span: int) -> Session:
        """Keep a session alive. Raises NotFound, WrongState, NotAllowed, StorageFailed."""
        return await self._act(self._engine.keep_alive, session_id, span)


class LocalBackend(_Reads, _Abilities, _Administration, _Policing):
    """Run sessions as processes of this machine."""

    async def environments(self) -> tuple[Environment, ...]:
        """List the environments that sessions may start from."""
        return await asyncio.to_thread(environments.find, self._config)

    async def look_up(self, request: SessionRequest) -> LaunchPlace:
        """Look up what a request names: its environment and its folder."""
        return await asyncio.to_thread(environments.look_up, request, self._config)

    async def create(self, spec: SessionSpec, owner: str) -> Session:
        """Accept a checked request. Raises NameTaken, InvalidFields, StorageFailed."""
        return await self._act(self._engine.create, spec, owner)

    async def stop(self, session_id: str) -> Session:
        """Begin to stop. Raises NotFound, WrongState, StorageFailed."""
        return await self._act(self._engine.end, session_id, "stop")

    async def suspend(self, session_id: str) -> Session:
        """Begin to stop, keeping the request. Raises NotFound, WrongState, StorageFailed."""
        return await self._act(self._engine.end, session_id, "suspend")

    async def resume(self, session_id: str, base_url: str = "") -> Session:
        """Put it back into the queue. Raises NotFound, WrongState, StorageFailed."""
        return await self._act(self._engine.resume, session_id, base_url)

    async def resize(self, session_id: str, share: Share) -> Session:
        """Queue it with another share. Raises NotFound, WrongState, StorageFailed."""
        return await self._act(self._engine.resize, session_id, share)

    async def delete(self, session_id: str) -> None:
        """Forget it with its log. Raises NotFound, WrongState, StorageFailed."""
        await self._act(self._engine.delete, session_id)
