"""The capabilities that backends share, by means of the board, the settings and the recorder."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from datetime import datetime
from functools import partial
from typing import Any, Protocol

from ..core.lifecycle import check_untouched
from ..core.requests import feasibility
from ..core.templates import key_of
from ..core.usage.history import Window
from ..errors import InUse, NotFound, WrongState
from ..model.about import Revisions
from ..model.datasets.settings import DataSettings
from ..model.ending import PageReport
from ..model.history import History as Past
from ..model.nodes import Reading
from ..model.pods import ContainerRules
from ..model.projects import AuditEntry, Groups, SetBy, SettingsText, SettingsTextRequest
from ..model.quota import Project, Rules
from ..model.reasons import Reason
from ..model.resources import Node, Share
from ..model.sessions import Kind, Session, SessionSpec
from ..model.struct import Message
from ..model.templates import Template
from ..model.volumes.mounts import Mount
from ..model.volumes.volumes import Volume
from ..ports.administration import Part, Whole
from .administration import Administrator
from .board import Board
from .recorder import Recorder
from .resident import Resident
from .settings.quota_text import text_of


class StoredTemplates:
    """The templates in the state folder and the quota file; `work` is the thread of settings."""

    def __init__(
        self, board: Board, admin: Administrator, work: Callable[..., Awaitable[Any]]
    ) -> None:
        self._board = board
        self._admin = admin
        self._work = work

    def all(self) -> tuple[Template, ...]:
        """Return all templates, without `actions`."""
        return self._board.settings.templates

    def by_file(self) -> bool:
        """Return whether the quota file sets those of admins."""
        return bool(self._admin.path)

    async def put(self, template: Template, who: str) -> None:
        """Create or replace a template. Raises Conflict, StorageFailed."""
        await self._work(self._admin.put_template, key_of(template), template, who)

    async def delete(self, template: Template, who: str) -> None:
        """Delete a template. Raises Conflict, StorageFailed."""
        await self._work(self._admin.put_template, key_of(template), None, who)


Work = Callable[..., Awaitable[Any]]
"""Calls a function with arguments where it may run: in a worker thread, or at once."""


class VolumeMaker(Protocol):
    """Makes the new volumes of sessions, and deletes those of sessions that never started."""

    def made_for(self, spec: SessionSpec, owner: str) -> AbstractContextManager[None]:
        """Make the new volumes of a session, and remove them again if it is refused."""

    def all(self) -> tuple[Volume, ...]:
        """Return all volumes."""

    async def delete(self, volume: Volume) -> None:
        """Delete a volume. Raises NotFound, InUse, StorageFailed."""


class BoardChanges:
    """Revisions and changes of the board."""

    def __init__(self, board: Board) -> None:
        self._board = board

    @property
    def instance(self) -> str:
        """The id of this run of the controller, to which revisions belong."""
        return self._board.instance

    def revision(self, noun: str) -> str:
        """Return the revision of a noun."""
        return self._board.revision(noun)

    async def changed(self, since: str, timeout: float) -> Revisions:
        """Wait until `latest` differs from `since`, or `timeout` seconds; return all revisions."""
        return await self._board.changed(since, timeout)

    def warnings(self) -> tuple[str, ...]:
        """Return warnings for admins."""
        return self._board.warnings()


class BoardInventory:
    """The projects and nodes on the board; a backend adds its environments."""

    def __init__(self, board: Board) -> None:
        self._board = board

    def projects(self) -> tuple[Project, ...]:
        """Return the projects."""
        return self._board.settings.projects

    def rules(self) -> Rules:
        """Return the rules for all projects."""
        return self._board.settings.rules

    @property
    def containers(self) -> ContainerRules | None:
        """What options of containers may be: none, as sessions are processes."""
        return None

    def nodes(self) -> tuple[Node, ...]:
        """Return nodes and devices."""
        return self._board.nodes

    def readings(self) -> Mapping[str, Reading]:
        """Return the newest reading of each device, by its UUID."""
        return self._board.readings

    def fit(
        self, share: Share, kind: Kind, node_type: str, nodes: Sequence[Node], project: Project
    ) -> feasibility.Fit:
        """Return a share as our own scheduler gives it, or why it can never be had."""
        return feasibility.fit(share, kind, node_type, nodes, project)


class ScheduledSessions:
    """The sessions that our own scheduling core manages.

    `volumes` makes the new volumes of sessions, where the backend has volumes.
    """

    def __init__(self, resident: Resident, volumes: VolumeMaker | None = None) -> None:
        self._resident = resident
        self._worker = resident.worker
        self._volumes = volumes

    def all(self) -> tuple[Session, ...]:
        """Return all sessions, oldest first."""
        return self._resident.board.sessions

    async def create(self, spec: SessionSpec, owner: str, session_id: str = "") -> Session:
        """Accept a validated request. Raises NameTaken, InvalidFields, StorageFailed."""
        return await self._resident.act(self._create, spec, owner, session_id)

    def _create(self, spec: SessionSpec, owner: str, session_id: str) -> Session:
        if known := self._resident.board.by_id.get(session_id):
            return known
        with self._volumes.made_for(spec, owner) if self._volumes else nullcontext():
            return self._worker.create(spec, owner, session_id)

    async def stop(self, session_id: str, why: Reason | None = None) -> Session:
        """Begin to stop a session. Raises NotFound, WrongState."""
        return await self._resident.act(self._worker.end, session_id, "stop", why)

    async def suspend(self, session_id: str, why: Reason | None = None) -> Session:
        """Begin to stop a session, keeping its request. Raises NotFound, WrongState."""
        return await self._resident.act(self._worker.end, session_id, "suspend", why)

    async def resume(self, session_id: str, base_url: str = "") -> Session:
        """Put a session back into the queue. Raises NotFound, WrongState, StorageFailed."""
        return await self._resident.act(self._worker.resume, session_id, base_url)

    async def resize(self, session_id: str, share: Share, added: Sequence[Mount] = ()) -> Session:
        """Queue a session with another share, and more volumes.

        Raises NotFound, WrongState, InvalidFields, StorageFailed.
        """
        return await self._resident.act(self._worker.resize, session_id, share, added)

    async def delete(self, session_id: str) -> None:
        """Delete a session and its log. Raises NotFound, WrongState, StorageFailed."""
        await self._resident.act(self._worker.delete, session_id)

    async def withdraw(self, session_id: str) -> bool:
        """Delete a session that has never started. Raises NotFound, StorageFailed.

        Sessions start in the worker thread only: none can do so meanwhile.
        """
        spec = self._resident.board.find(session_id).spec
        try:
            await self._resident.act(self._worker.delete, session_id, check_untouched)
        except WrongState:
            return False
        await self._delete_made(spec)
        return True

    async def _delete_made(self, spec: SessionSpec) -> None:
        """Delete the volumes that were made for a session, unless another one mounts them."""
        made = {mount.volume for mount in spec.volumes if mount.size}
        if not made or self._volumes is None:
            return
        for volume in self._volumes.all():
            if volume.project == spec.project and volume.name in made:
                with suppress(NotFound, InUse):
                    await self._volumes.delete(volume)

    async def put_page(self, session_id: str, page: str, report: PageReport) -> None:
        """Record the report of a session's browser page. Raises NotFound."""
        waits = self._resident.board.find(session_id).is_saving
        do = self._resident.act if waits else self._resident.work
        await do(self._worker.put_page, session_id, page, report)


class RecordedHistory:
    """The recorded use of GPUs."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    async def read(self, window: Window) -> Past:
        """Return how projects used GPUs in a period. Raises StorageFailed."""
        return await self._recorder.history(window)


class StoredDataSettings:
    """Lakes and rules for cached versions; `work` is the thread that may change them."""

    def __init__(self, board: Board, admin: Administrator, work: Work) -> None:
        self._board = board
        self._admin = admin
        self._work = work

    def settings(self) -> DataSettings:
        """Return the settings in force."""
        return self._board.settings.data

    async def put(self, settings: DataSettings, who: str) -> DataSettings:
        """Change the settings as a whole. Raises Outdated, Conflict, StorageFailed."""
        changed: DataSettings = await self._work(self._admin.put, "data", settings, who)
        return changed


class StoredSettings:
    """The settings of admins in the state folder; `work` is the thread that may change them.

    `data` are those of datasets, `templates` those of every account, too.
    """

    def __init__(self, board: Board, admin: Administrator, work: Work) -> None:
        self.data = StoredDataSettings(board, admin, work)
        self.templates = StoredTemplates(board, admin, work)
        self._board = board
        self._admin = admin
        self._work = work

    def set_by(self) -> SetBy:
        """Return where projects are set."""
        return self._board.settings.source

    def quota_path(self) -> str:
        """Return the path of the file that sets projects, empty for none."""
        return self._admin.path

    def warnings(self) -> tuple[str, ...]:
        """Return the problems of the file or database that sets projects."""
        return self._board.warnings("settings")

    def groups(self) -> Groups:
        """Return the node groups."""
        return self._board.settings.groups

    def found_nodes(self) -> tuple[Node, ...]:
        """Return the nodes as detected, without the groups set here."""
        return self._board.found_nodes

    async def put_project(self, project: Project, who: str) -> Project:
        """Create or change a project. Raises Outdated, Conflict, StorageFailed."""
        changed: Project = await self._work(self._admin.put_project, project, who)
        return changed

    async def delete_project(
        self, name: str, revision: str, who: str, *, drain: bool
    ) -> Project | None:
        """Delete a project, or let it drain. Raises NotFound, InUse, Outdated, Conflict."""
        work = partial(self._admin.delete_project, name, revision, who, drain=drain)
        left: Project | None = await self._work(work)
        return left

    async def put(self, part: Part, wanted: Whole, who: str) -> Whole:
        """Change a part as a whole. Raises Outdated, Conflict, StorageFailed."""
        changed: Whole = await self._work(self._admin.put, part, wanted, who)
        return changed

    async def text(self) -> SettingsText:
        """Return all settings as the text of a quota file."""
        found: SettingsText = await self._work(text_of, self._board.settings, self._admin.path)
        return found

    async def put_text(self, asked: SettingsTextRequest, who: str) -> SettingsText:
        """Change all settings by such a text. Raises Outdated, Conflict, InUse, InvalidFields."""
        changed: SettingsText = await self._work(self._admin.put_text, asked, who)
        return changed

    async def note(self, what: Message, at: datetime) -> None:
        """Add to the audit log what the system did, if it is not there yet."""
        await self._work(self._admin.happened, what, at)

    async def audit(self) -> tuple[AuditEntry, ...]:
        """Return the audit log, newest entry first."""
        entries: tuple[AuditEntry, ...] = await self._work(self._admin.audit)
        return entries
