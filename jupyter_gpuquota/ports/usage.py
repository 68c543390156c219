"""Who uses how much, now and in the past."""

from __future__ import annotations

from typing import Protocol

from ..core.history import Window
from ..model.history import History as Past
from ..model.quota import Quota
from ..model.resources import Holding


class Usage(Protocol):
    """What sums up what is held."""

    def quota(self) -> Quota:
        """Return what every project has, holds and waits for, for whoever may see all of it."""

    def holdings(self) -> tuple[Holding, ...]:
        """Return what workloads hold that are not sessions of ours."""


class History(Protocol):
    """What remembers how GPUs were used."""

    async def read(self, window: Window) -> Past:
        """Return how projects used GPUs in a time; what was not sampled is left out.

        Raises StorageFailed.
        """
