"""The volumes of a cluster other than the first."""

from __future__ import annotations

from collections.abc import Mapping

from ..errors import FieldError
from ..model.clusters.names import name_in
from ..model.sessions import SessionRequest
from ..model.volumes.mounts import Mount
from ..model.volumes.volumes import NewVolume, StorageClass, Volume, VolumeChange
from ..ports.volumes import Volumes
from .naming import Outward, new_volume_inside, request_inside, volume_inside


class OutsideVolumes:
    """Translates what enters and leaves it."""

    def __init__(self, names: Outward, inner: Volumes) -> None:
        self._out = names.volume
        self._inner = inner

    def all(self) -> tuple[Volume, ...]:
        """Return all volumes by project and name."""
        return tuple(map(self._out, self._inner.all()))

    def classes(self, project: str = "") -> tuple[StorageClass, ...]:
        """Return the classes of which volumes can be made."""
        return self._inner.classes(name_in(project))

    def knows(self, project: str) -> bool:
        """Return whether the volumes of a project are known."""
        return self._inner.knows(name_in(project))

    def problems(self) -> tuple[str, ...]:
        """Return what is not known now, and why."""
        return self._inner.problems()

    async def create(self, wanted: NewVolume) -> Volume:
        """Create a volume, or share an existing folder."""
        return self._out(await self._inner.create(new_volume_inside(wanted)))

    async def change(self, volume: Volume, change: VolumeChange, size: int | None) -> Volume:
        """Change a volume."""
        return self._out(await self._inner.change(volume_inside(volume), change, size))

    async def delete(self, volume: Volume) -> None:
        """Delete a volume, and its files unless it was registered."""
        await self._inner.delete(volume_inside(volume))

    async def check(
        self, request: SessionRequest, project: str, mounts: Mapping[str, Mount], owner: str
    ) -> tuple[FieldError, ...]:
        """Return why a session could not mount these volumes, by field."""
        return await self._inner.check(request_inside(request), name_in(project), mounts, owner)
