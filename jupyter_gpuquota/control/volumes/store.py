"""What a backend provides so that a controller can keep volumes on it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from ...model.struct import Model


class VolumeRecord(Model, frozen=True, kw_only=True):
    """What is recorded of a volume; `folder` is that of a registered one, `size` in bytes."""

    name: str
    project: str
    owner: str = ""
    description: str = ""
    folder: str = ""
    size: int = 0
    read_only: bool = False
    created: datetime | None = None


@dataclass(frozen=True, slots=True)
class Measured:
    """What was found in the folder of a volume.

    `used` is in bytes, None if it is not known; `limit` is what the file system holds it to, 0 for
    nothing. `problem` says why it cannot be mounted, empty if it can.
    """

    used: int | None = None
    limit: int = 0
    problem: str = ""


class VolumeStore(Protocol):
    """Stores volumes. Its methods may block, and are called in worker threads."""

    def load(self) -> Iterable[VolumeRecord]:
        """Return the stored volumes, and finish what an earlier controller had begun.

        Raises StorageFailed.
        """

    def add(self, record: VolumeRecord) -> None:
        """Create a volume as a whole or not at all.

        Raises NameTaken, StorageFailed, InvalidFields for a folder that may not be registered.
        """

    def save(self, record: VolumeRecord) -> None:
        """Store a changed record. Raises StorageFailed."""

    def remove(self, record: VolumeRecord) -> None:
        """Remove a volume; its files are freed by `tidy`. Raises StorageFailed."""

    def tidy(self) -> None:
        """Free the files of removed volumes."""

    def folder(self, record: VolumeRecord) -> str:
        """Return the folder of a volume, empty where there is none."""

    def problem(self, record: VolumeRecord) -> str:
        """Return why a volume cannot be mounted, empty if it can."""

    def limited(self, record: VolumeRecord) -> Measured | None:
        """Return what a volume uses that the file system limits, without delay; None for others."""

    def measure(self, record: VolumeRecord, stopped: Callable[[], bool]) -> Measured:
        """Return what a volume uses; gives up soon once `stopped` is true."""
