"""Volumes without files."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from ..control.volumes.store import Measured, VolumeRecord


class MemoryVolumes:
    """Records of volumes that end with the controller."""

    def load(self) -> Iterable[VolumeRecord]:
        """Return nothing: a controller begins without volumes."""
        return ()

    def add(self, record: VolumeRecord) -> None:
        """Accept any volume: the records themselves are elsewhere."""

    def save(self, record: VolumeRecord) -> None:
        """Accept any change."""

    def remove(self, record: VolumeRecord) -> None:
        """Accept that it goes."""

    def tidy(self) -> None:
        """Do nothing: there are no files."""

    def folder(self, record: VolumeRecord) -> str:
        """Return where its files would be."""
        return record.folder or f"/demo/volumes/{record.project}/{record.name}"

    def problem(self, record: VolumeRecord) -> str:
        """Return that it can always be mounted."""
        return ""

    def limited(self, record: VolumeRecord) -> Measured | None:
        """Return that nothing is limited."""
        return None

    def measure(self, record: VolumeRecord, stopped: Callable[[], bool]) -> Measured:
        """Return that it is empty."""
        return Measured(used=0)


class MemoryFilling:
    """Volumes that get no files."""

    root = "/demo/volumes"

    def folder(self, record: VolumeRecord, order: str) -> str:
        """Return where its files would be."""
        return f"{self.root}/{record.project}/{record.name}/{order}"

    def begin(self, record: VolumeRecord, order: str) -> None:
        """Accept that it begins."""

    def complete(self, record: VolumeRecord, order: str) -> None:
        """Accept that it is complete."""

    def keep_only(self, orders: Collection[str]) -> None:
        """Do nothing: there are no files."""
