"""What administrators set: projects in the engine's objects, the rest in the state folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import yaml

from ...control.administration import Administrator
from ...control.board import Board
from ...control.capabilities import StoredSettings, Work
from ...control.config import GpuQuota
from ...control.settings.stored import TABLES
from ...control.storage.sqlite import Damaged, Database, Kind, move_aside
from ...core.projects import check_revision, find
from ...errors import Unsupported
from ...model.quota import Project
from ..api import Manifest
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


class ClusterSettings(StoredSettings):
    """Projects are changed in the engine's own objects, and audited here.

    They are created and deleted with kubectl: errors say how.
    """

    def __init__(self, board: Board, admin: Administrator, work: Work, engine: Engine) -> None:
        super().__init__(board, admin, work)
        self._engine = engine

    async def put_project(self, project: Project, who: str) -> Project:
        """Change a project.

        Raises Unsupported for a new one, Outdated, NotAllowed, Unavailable, StorageFailed.
        """
        able = self._engine.administration
        with translated():
            if project.name not in self._names():
                check_revision(project.name, "", project.revision)
                raise _created_with(project.name, await able.objects_for(project))
            changed = await able.change_project(project)
        await self._work(self._admin.note, who, f"changed project {project.name}")
        return changed

    async def delete_project(
        self, name: str, revision: str, who: str, *, drain: bool
    ) -> Project | None:
        """Raise NotFound, or Unsupported with the commands that delete a project's quota."""
        find(name, self._board.settings.projects)
        commands = self._engine.administration.deletion_of(name)
        raise Unsupported(
            f"Projects of this cluster are deleted with kubectl. {name} was not deleted.",
            hint="\n".join(commands),
        )

    def _names(self) -> set[str]:
        return {project.name for project in self._engine.projects()}


def _created_with(name: str, objects: Sequence[Manifest]) -> Unsupported:
    """Return the error whose hint is the command that creates a project."""
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
    text = yaml.safe_dump_all([namespace, *objects], sort_keys=False, default_flow_style=None)
    return Unsupported(
        f"Projects of this cluster are created with kubectl. {name} was not created.",
        hint=f"kubectl apply -f - <<'END'\n{text}END",
    )
