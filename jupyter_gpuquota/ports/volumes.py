"""Volumes that sessions share. Rights are the caller's matter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from ..errors import FieldError
from ..model.sessions import SessionRequest
from ..model.volumes.mounts import Mount
from ..model.volumes.volumes import NewVolume, StorageClass, Volume, VolumeChange


class Volumes(Protocol):
    """The volumes of all projects."""

    def all(self) -> tuple[Volume, ...]:
        """Return all volumes by project and name, with their uses, without `actions`."""

    def classes(self, project: str = "") -> tuple[StorageClass, ...]:
        """Return the classes of which volumes can be made, the default one first."""

    def knows(self, project: str) -> bool:
        """Return whether the volumes of a project are known; else names are taken as they are."""

    def problems(self) -> tuple[str, ...]:
        """Return what is not known now, and why."""

    async def create(self, wanted: NewVolume) -> Volume:
        """Create a volume, or share an existing folder.

        Raises NameTaken, InvalidFields with what would work instead, StorageFailed, Unavailable.
        """

    async def change(self, volume: Volume, change: VolumeChange, size: int | None) -> Volume:
        """Change a volume; `size` is the new one in bytes, None to keep it.

        Raises NotFound, InvalidFields, Conflict where a file sets it, StorageFailed, Unavailable.
        """

    async def delete(self, volume: Volume) -> None:
        """Delete a volume, and its files unless it was registered.

        Raises NotFound, InUse while sessions that have not ended mount it, Conflict where a file
        sets it, StorageFailed, Unavailable.
        """

    async def check(
        self, request: SessionRequest, project: str, mounts: Mapping[str, Mount], owner: str
    ) -> tuple[FieldError, ...]:
        """Return why a session of `project` and `owner` could not mount these volumes, by field.

        `mounts` are what the fields of the request, such as `volumes[0]`, name: existing volumes
        that the caller may mount, and with a `size` those to be made for the session. Only what
        the backend alone can know is checked: nodes, quota, classes.
        """
