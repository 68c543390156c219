"""Volumes as they are listed."""

from __future__ import annotations

from ...model.messages.build import reason
from ...model.reasons import Reason
from ...model.volumes.mounts import VolumeUse
from ...model.volumes.volumes import FOLDER, Volume
from ..settings.settings import Settings
from .store import Measured, VolumeRecord


def shown(
    record: VolumeRecord,
    folder: str,
    measured: Measured,
    uses: tuple[VolumeUse, ...],
    *,
    by_file: bool,
) -> Volume:
    """Return a volume with what was measured, and who mounts it."""
    size = measured.limit or record.size
    return Volume(
        name=record.name,
        project=record.project,
        owner=record.owner,
        kind="folder",
        folder=folder,
        registered=bool(record.folder),
        description=record.description,
        storage_class="" if by_file else FOLDER,
        size=size,
        used=measured.used,
        enforced=bool(measured.limit),
        modes=("ROX",) if record.read_only else ("RWX", "ROX"),
        read_only=record.read_only,
        state="lost" if measured.problem else "ready",
        reason=_reason(measured, size),
        uses=uses,
        created=record.created,
    )


def shared_folders(settings: Settings) -> tuple[VolumeRecord, ...]:
    """Return the folders that admins share in the quota file, one for each project."""
    return tuple(
        VolumeRecord(
            name=each.name,
            project=project,
            description=each.description,
            folder=each.folder,
            size=each.size,
            read_only=each.read_only,
        )
        for each in settings.volumes
        for project in each.projects
    )


def _reason(measured: Measured, size: int) -> Reason | None:
    """Return what is wrong with a volume."""
    if measured.problem:
        return reason("VolumePending", "volume.gone", why=measured.problem)
    if size and measured.used is not None and measured.used > size:
        return reason("VolumePending", "volume.full", used=measured.used, size=size)
    return None
