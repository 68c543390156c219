"""The routes of volumes."""

from __future__ import annotations

from ..struct import Nothing
from ..volumes.volumes import Volume, VolumeChange, VolumeList, VolumeQuery, VolumeRequest
from .route import Route

_ONE = "/volumes/{project}/{volume}"

ROUTES: tuple[Route, ...] = (
    Route(
        "volumes.list",
        "GET",
        "/volumes",
        VolumeList,
        "List volumes by project and name",
        query=VolumeQuery,
        noun="volumes",
    ),
    Route(
        "volumes.create",
        "POST",
        "/volumes",
        Volume,
        "Create a volume, or share an existing folder",
        request=VolumeRequest,
        status=201,
    ),
    Route("volumes.get", "GET", _ONE, Volume, "Show a volume and who mounts it", noun="volumes"),
    Route(
        "volumes.change",
        "PATCH",
        _ONE,
        Volume,
        "Grow a volume, or change its level, description or whether it is read-only",
        request=VolumeChange,
    ),
    Route("volumes.delete", "DELETE", _ONE, Nothing, "Delete a volume with its files"),
)
