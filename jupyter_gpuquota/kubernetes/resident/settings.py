"""What administrators set: projects in the engine's objects, the rest in the state folder."""

from __future__ import annotations

import time
from pathlib import Path

from ...control.administration import Administrator
from ...control.board import Board
from ...control.capabilities import StoredSettings, Work
from ...control.config import GpuQuota
from ...control.settings.stored import TABLES
from ...control.storage.sqlite import Damaged, Database, Kind, move_aside
from ...core.members import check_deletable, drained, live_of
from ...core.projects import find
from ...errors import GpuQuotaError
from ...model.quota import Project
from ..engines.engine import Engine
from ..faults import translated

_KIND = Kind(
    name="The settings file",
    migrations=(TABLES,),
    pragmas=("journal_mode = WAL", "synchronous = FULL"),
    checked=True,
)


def open_settings(folder: Path) -> Database:
    """Open the settings of a state folder; a damaged file is moved aside, and its copy restored.

    Raises StorageFailed, VersionMismatch.
    """
    path = folder / "settings.db"
    try:
        return Database(path, _KIND)
    except Damaged:
        move_aside(path)
        return Database(path, _KIND)


def administrator(control: GpuQuota, board: Board, engine: Engine) -> Administrator:
    """Return what keeps the settings that the engine does not own."""
    return Administrator(
        control,
        board,
        engine=lambda: tuple(engine.projects()),
        departments=lambda: tuple(engine.departments()),
    )


_PAUSE = 60.0
"""Seconds until the deletion of a project is tried again."""


class ClusterSettings(StoredSettings):
    """Projects are changed in the engine's own objects, and audited here."""

    def __init__(self, board: Board, admin: Administrator, work: Work, engine: Engine) -> None:
        super().__init__(board, admin, work)
        self._engine = engine
        self._tried: dict[str, float] = {}

    async def put_project(self, project: Project, who: str) -> Project:
        """Create or change a project. Raises Outdated, NotAllowed, Unavailable, StorageFailed."""
        known = {present.name for present in self._board.settings.projects}
        with translated():
            changed = await self._engine.administration.put_project(project)
        verb = "changed" if project.name in known else "created"
        await self._work(self._admin.note, who, f"{verb} project {project.name}")
        return changed

    async def delete_project(
        self, name: str, revision: str, who: str, *, drain: bool
    ) -> Project | None:
        """Delete a project's quota, or let it drain.

        Raises NotFound, InUse, Outdated, NotAllowed, Unavailable, Unsupported.
        """
        find(name, self._board.settings.projects)
        sessions, engine = self._board.sessions, self._engine.administration
        if not drain:
            check_deletable(name, sessions)
        left, did = None, f"deleted project {name}"
        with translated():
            if live_of(name, sessions):
                left, did = await engine.drain_project(name, revision), f"started draining {name}"
            else:
                await engine.delete_project(name, revision)
        await self._work(self._admin.note, who, did)
        return left

    async def delete_drained(self) -> None:
        """Delete the projects that have drained; one that cannot be is tried again later."""
        projects, now = self._board.settings.projects, time.monotonic()
        self._tried = {p.name: self._tried[p.name] for p in projects if p.name in self._tried}
        for project in drained(projects, self._board.sessions):
            if now < self._tried.get(project.name, 0.0) + _PAUSE:
                continue
            self._tried[project.name] = now
            try:
                with translated():
                    await self._engine.administration.delete_project(project.name, "")
            except GpuQuotaError as error:
                self._board.warn("draining", [f"{project.name} cannot be deleted: {error.message}"])
            else:
                self._board.warn("draining", [])
                did = f"deleted project {project.name} after draining"
                await self._work(self._admin.note, "system", did)
