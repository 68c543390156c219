"""GPUs as a Prometheus measures them, asked again and again for all screens together."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping

from ...control.board import Board
from ...model.nodes import Reading
from ..inventory import ClusterReader
from ..resources import PODS
from ..watching.watches import Watches
from . import gpu_metrics
from .gpu_metrics import Metered
from .gpu_users import users_by_pod
from .prometheus import Prometheus

Attribute = Callable[[Mapping[str, Metered]], Mapping[str, Reading]]
"""Returns the readings of known GPUs with who uses them, by UUID; called in a thread."""

_log = logging.getLogger(__name__)

_PAUSE = 15.0
"""Seconds between two questions: as often as exporters are scraped at most."""


def gpu_meter(
    prometheus: Prometheus | None,
    board: Board,
    watches: Watches,
    reader: ClusterReader,
    changed: Callable[[], None],
) -> GpuMeter:
    """Return what measures the GPUs of a cluster; `reader` is told their readings."""
    pods = watches.cache(PODS)

    def attribute(found: Mapping[str, Metered]) -> Mapping[str, Reading]:
        gpus = reader.cluster.gpus
        users = users_by_pod(pods.values(), gpus, board.by_id)
        return gpu_metrics.readings(found, gpus, users.get)

    meter = GpuMeter(prometheus, attribute, changed)
    reader.readings = lambda: meter.readings
    return meter


class GpuMeter:
    """Asks a Prometheus, if there is one, from `start` to `close`.

    `readings` are the last ones by UUID, none while it does not answer; `changed` is called in the
    event loop after each change of them.
    """

    def __init__(
        self,
        prometheus: Prometheus | None,
        attribute: Attribute,
        changed: Callable[[], None],
        pause: float = _PAUSE,
    ) -> None:
        self.readings: Mapping[str, Reading] = {}
        self._prometheus = prometheus
        self._attribute = attribute
        self._changed = changed
        self._pause = pause
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Begin."""
        if self._prometheus:
            self._task = asyncio.create_task(self._run(self._prometheus))

    async def close(self) -> None:
        """End."""
        if self._task:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            self._task = None
        if self._prometheus:
            self._prometheus.close()

    async def _run(self, prometheus: Prometheus) -> None:
        while True:
            found = await prometheus.asked(gpu_metrics.query(), gpu_metrics.read)
            try:
                readings = await asyncio.to_thread(self._attribute, found or {})
            except Exception:  # noqa: BLE001 (a bug must not end the readings for all)
                _log.exception("readings of GPUs cannot be attributed")
                readings = {}
            if readings != self.readings:
                self.readings = readings
                self._changed()
            await asyncio.sleep(self._pause)
