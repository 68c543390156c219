"""What administrators set: projects in the engine's objects, the rest in the state folder."""

from __future__ import annotations

from pathlib import Path

from ...control.administration import Administrator
from ...control.board import Board
from ...control.capabilities import StoredSettings, Work
from ...control.settings.stored import TABLES
from ...control.storage.sqlite import Damaged, Database, Kind, move_aside
from ...core.projects import find
from ...errors import InUse
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


class ClusterSettings(StoredSettings):
    """Projects are changed in the engine's own objects, and audited here."""

    def __init__(self, board: Board, admin: Administrator, work: Work, engine: Engine) -> None:
        super().__init__(board, admin, work)
        self._engine = engine

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
        """Delete a project's quota. Raises NotFound, InUse, Outdated, NotAllowed, Unavailable."""
        find(name, self._board.settings.projects)
        held = [s.spec.name for s in self._board.sessions if s.spec.project == name]
        if held:
            raise InUse(
                f"Project {name} has {len(held)} sessions.",
                hint="Delete them first. A cluster's project cannot be drained.",
            )
        with translated():
            await self._engine.administration.delete_project(name, revision)
        await self._work(self._admin.note, who, f"deleted project {name}")
        return None
