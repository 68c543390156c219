"""How the GPUs of all clusters were used: each records its own."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import replace

from ..core.usage.history import Window, united
from ..errors import GpuQuotaError, StorageFailed, Unavailable
from ..model.history import History
from ..ports.backend import require
from .members import Members


class UnitedHistory:
    """Asks the cluster of the project, or all clusters that record how they are used."""

    def __init__(self, members: Members) -> None:
        self._members = members

    async def read(self, window: Window) -> History:
        """Return how projects used GPUs in a period.

        Of a cluster that cannot be asked there are no points, and a note says why. Raises
        StorageFailed, Unavailable where there is none of any.
        """
        if window.project:
            backend = self._members.of(window.project)
            return await require(backend, "history", backend.history).read(window)
        found, missing = await self._ask(self._members, window)
        if not found:
            raise next(iter(missing.values()))
        step = max(each.step for each in found.values())
        finer = [name for name, each in found.items() if each.step < step]
        again, lost = await self._ask(finer, replace(window, least=step))
        missing |= lost
        known = {name: again.get(name, each) for name, each in found.items() if name not in lost}
        return united(known, {name: error.message for name, error in missing.items()})

    async def _ask(
        self, clusters: Iterable[str], window: Window
    ) -> tuple[dict[str, History], dict[str, GpuQuotaError]]:
        """Return what clusters answer, and of which of them it cannot be read, and why."""
        names = list(clusters)
        answers = await asyncio.gather(*(self._of(name, window) for name in names))
        found: dict[str, History] = {}
        missing: dict[str, GpuQuotaError] = {}
        for name, answer in zip(names, answers, strict=True):
            if isinstance(answer, History):
                found[name] = answer
            elif answer:
                missing[name] = answer
        return found, missing

    async def _of(self, cluster: str, window: Window) -> History | GpuQuotaError | None:
        """Return the history of a cluster, None if it records none."""
        try:
            able = self._members[cluster].history
            return await able.read(window) if able else None
        except (StorageFailed, Unavailable) as error:
            return error
