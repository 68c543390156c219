"""The volumes of all clusters."""

from __future__ import annotations

from collections.abc import Mapping

from ..errors import FieldError
from ..model.sessions import SessionRequest
from ..model.volumes.mounts import Mount
from ..model.volumes.volumes import NewVolume, StorageClass, Volume, VolumeChange
from ..ports.backend import require
from ..ports.volumes import Volumes
from .members import Members


class UnitedVolumes:
    """Passes each call on to the cluster of the project."""

    def __init__(self, members: Members) -> None:
        self._members = members

    def all(self) -> tuple[Volume, ...]:
        """Return all volumes by project and name."""
        return tuple(volume for each in self._able() for volume in each.all())

    def classes(self, project: str = "") -> tuple[StorageClass, ...]:
        """Return the classes of which volumes can be made, by default in the first cluster."""
        able = self._members.of(project).volumes
        return able.classes(project) if able else ()

    def knows(self, project: str) -> bool:
        """Return whether the volumes of a project are known."""
        able = self._members.of(project).volumes
        return able.knows(project) if able else False

    def problems(self) -> tuple[str, ...]:
        """Return what is not known now, and why."""
        return tuple(text for each in self._able() for text in each.problems())

    async def create(self, wanted: NewVolume) -> Volume:
        """Create a volume, or share an existing folder."""
        return await self._of(wanted.project).create(wanted)

    async def change(self, volume: Volume, change: VolumeChange, size: int | None) -> Volume:
        """Change a volume."""
        return await self._of(volume.project).change(volume, change, size)

    async def delete(self, volume: Volume) -> None:
        """Delete a volume, and its files unless it was registered."""
        await self._of(volume.project).delete(volume)

    async def check(
        self, request: SessionRequest, project: str, mounts: Mapping[str, Mount], owner: str
    ) -> tuple[FieldError, ...]:
        """Return why a session could not mount these volumes, by field."""
        return await self._of(project).check(request, project, mounts, owner)

    def _of(self, project: str) -> Volumes:
        backend = self._members.of(project)
        return require(backend, "volumes", backend.volumes)

    def _able(self) -> list[Volumes]:
        return [each.volumes for each in self._members.usable() if each.volumes]
