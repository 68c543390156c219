"""Abilities that every resident backend has: over the board, the worker and the recorder."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from functools import partial

from ..core.history import Window
from ..core.idle_week import Stretch
from ..core.policy import Ruling
from ..model.about import Revisions
from ..model.history import History as Past
from ..model.idleness import Activity
from ..model.nodes import Reading
from ..model.policy import Policy
from ..model.projects import AuditEntry, Groups, SetBy
from ..model.quota import Project, Rules
from ..model.resources import Node, Share
from ..model.sessions import Session, SessionSpec
from .board import Board
from .recorder import Recorder
from .resident import Resident


class BoardChanges:
    """Notice of changes of the board."""

    def __init__(self, board: Board) -> None:
        self._board = board

    @property
    def instance(self) -> str:
        """The life that revisions belong to."""
        return self._board.instance

    def revision(self, noun: str) -> str:
        """Return the revision of a noun."""
        return self._board.revision(noun)

    async def changed(self, since: str, timeout: float) -> Revisions:
        """Wait until `latest` is not `since`, or `timeout` seconds; return all revisions."""
        return await self._board.changed(since, timeout)

    def warnings(self) -> tuple[str, ...]:
        """Return what an admin should hear of."""
        return self._board.warnings()


class BoardInventory:
    """Projects and nodes of the board; a backend adds its environments."""

    def __init__(self, board: Board) -> None:
        self._board = board

    def projects(self) -> tuple[Project, ...]:
        """Return the projects."""
        return self._board.settings.projects

    def rules(self) -> Rules:
        """Return what holds for all projects."""
        return self._board.settings.rules

    def nodes(self) -> tuple[Node, ...]:
        """Return nodes and devices."""
        return self._board.nodes

    def readings(self) -> Mapping[str, Reading]:
        """Return the newest reading of each device, by its UUID."""
        return self._board.readings


class ScheduledSessions:
    """Sessions that our own scheduling core starts."""

    def __init__(self, resident: Resident) -> None:
        self._resident = resident
        self._worker = resident.worker

    def all(self) -> tuple[Session, ...]:
        """Return all sessions, oldest first."""
        return self._resident.board.sessions

    async def create(self, spec: SessionSpec, owner: str) -> Session:
        """Accept a checked request. Raises NameTaken, InvalidFields, StorageFailed."""
        return await self._resident.act(self._worker.create, spec, owner)

    async def stop(self, session_id: str) -> Session:
        """Begin to stop. Raises NotFound, WrongState, StorageFailed."""
        return await self._resident.act(self._worker.end, session_id, "stop")

    async def suspend(self, session_id: str) -> Session:
        """Begin to stop, keeping the request. Raises NotFound, WrongState, StorageFailed."""
        return await self._resident.act(self._worker.end, session_id, "suspend")

    async def resume(self, session_id: str, base_url: str = "") -> Session:
        """Put it back into the queue. Raises NotFound, WrongState, StorageFailed."""
        return await self._resident.act(self._worker.resume, session_id, base_url)

    async def resize(self, session_id: str, share: Share) -> Session:
        """Queue it with another share. Raises NotFound, WrongState, StorageFailed."""
        return await self._resident.act(self._worker.resize, session_id, share)

    async def delete(self, session_id: str) -> None:
        """Forget it with its log. Raises NotFound, WrongState, StorageFailed."""
        await self._resident.act(self._worker.delete, session_id)


class RecordedHistory:
    """The recorded use of GPUs."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    async def read(self, window: Window) -> Past:
        """Return how projects used GPUs in a time. Raises StorageFailed."""
        return await self._recorder.history(window)


class StoredSettings:
    """What admins set, kept by the worker."""

    def __init__(self, resident: Resident) -> None:
        self._resident = resident
        self._board = resident.board
        self._admin = resident.worker.admin

    def set_by(self) -> SetBy:
        """Return where projects are set."""
        return self._board.settings.source

    def quota_path(self) -> str:
        """Return the file that sets projects, empty for none."""
        return self._admin.path

    def warnings(self) -> tuple[str, ...]:
        """Return what is wrong with where projects are set."""
        return self._board.warnings("settings")

    def groups(self) -> Groups:
        """Return the node groups."""
        return self._board.settings.groups

    def found_nodes(self) -> tuple[Node, ...]:
        """Return nodes as they are found, without the groups set here."""
        return self._board.found_nodes

    async def put_project(self, project: Project, who: str) -> Project:
        """Make a project or change one. Raises Outdated, Conflict, StorageFailed."""
        return await self._resident.act(self._admin.put_project, project, who)

    async def delete_project(
        self, name: str, revision: str, who: str, *, drain: bool
    ) -> Project | None:
        """Delete a project, or let it drain. Raises NotFound, InUse, Outdated, Conflict."""
        work = partial(self._admin.delete_project, name, revision, who, drain=drain)
        return await self._resident.act(work)

    async def put_rules(self, rules: Rules, who: str) -> Rules:
        """Change the rules. Raises Outdated, Conflict, StorageFailed."""
        return await self._resident.act(self._admin.put, "rules", rules, who)

    async def put_groups(self, groups: Groups, who: str) -> Groups:
        """Change the node groups. Raises Outdated, Conflict, StorageFailed."""
        return await self._resident.act(self._admin.put, "groups", groups, who)

    async def put_policy(self, policy: Policy, who: str) -> Policy:
        """Change the policy as a whole. Raises Outdated, Conflict, StorageFailed."""
        return await self._resident.act(self._admin.put, "policy", policy, who)

    async def audit(self) -> tuple[AuditEntry, ...]:
        """Return who changed what, newest first."""
        return await self._resident.work(self._admin.audit)


class IdlePolicing:
    """The policy for idle sessions, carried out by the worker."""

    def __init__(self, resident: Resident, interval: int) -> None:
        self._resident = resident
        self._idle = resident.worker.idle
        self._interval = interval

    @property
    def interval(self) -> int:
        """The seconds between two looks at a session."""
        return self._interval

    def policy(self) -> Policy:
        """Return what is set of the policy."""
        return self._resident.board.settings.policy

    async def ruling(self, session_id: str) -> Ruling:
        """Return what the policy comes to for a session now. Raises NotFound."""
        session = self._resident.board.find(session_id)
        return await self._resident.work(self._idle.ruling, session)

    async def activity(self, session_id: str) -> Activity:
        """Return what is known of a session's activity. Raises NotFound, WrongState."""
        session = self._resident.board.find(session_id)
        return await self._resident.work(self._idle.activity, session)

    async def recorded(self, since: datetime) -> list[Stretch]:
        """Return what was recorded of the sessions' activity. Raises StorageFailed."""
        return await self._resident.recorder.activity(since)

    async def keep_alive(self, session_id: str, span: int) -> Session:
        """Keep a session alive. Raises NotFound, WrongState, NotAllowed, StorageFailed."""
        return await self._resident.act(self._resident.worker.keep_alive, session_id, span)
