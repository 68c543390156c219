"""GPU use by project and user, now and in the past."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from ..core.usage.history import Window
from ..model.history import History as Past
from ..model.quota import Quota
from ..model.resources import Holding


class Usage(Protocol):
    """Sums up the GPUs in use."""

    def quota(self) -> Quota:
        """Return what every project has, uses and requests, unfiltered by the caller's rights."""

    def holdings(self) -> tuple[Holding, ...]:
        """Return the GPUs held by workloads that are not our sessions."""

    @property
    def interval(self) -> int:
        """The time between two measurements of sessions' utilisation, in seconds."""

    def utilisation(self) -> Mapping[str, tuple[int, ...]]:
        """Map each session whose GPU utilisation is measured to its last values, in per cent."""


class History(Protocol):
    """Records how GPUs were used."""

    async def read(self, window: Window) -> Past:
        """Return how projects used GPUs in a period; times without samples are left out.

        Raises StorageFailed.
        """
