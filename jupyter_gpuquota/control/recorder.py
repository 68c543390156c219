"""Record and read the use of GPUs and sessions, in a thread of its own.

Reading a week of it takes seconds, which must not delay starts and stops of sessions.

It runs in the recorder's thread. Measurements that cannot be written are a gap, as in the history.
Nothing is measured of simulated GPUs.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from ..core.idle.decide import Reading
from ..core.idle.replay import Stretch
from ..core.usage.history import Window
from ..errors import StorageFailed
from ..model.history import History
from .board import Board
from .clock import Clock
from .config import GpuQuota
from .history.store import HistoryStore
from .idle.activity_log import ActivityLog
from .idle.activity_poller import Readings

KEPT = 90 * 86_400
"""Seconds for which measurements are kept."""
_SWEEP = 3600
_MOST = 500_000
"""Maximum number of rows, about 25 MB."""
_PUT = "INSERT OR REPLACE INTO utilisation VALUES (?, ?, ?)"
_MEAN = "SELECT avg(percent) FROM utilisation WHERE session = ? AND at > ? AND at <= ?"
_SINCE = "SELECT session, percent FROM utilisation WHERE at > ? ORDER BY at"
_OLD = "DELETE FROM utilisation WHERE at < ?"
_TOO_MANY = """
    DELETE FROM utilisation
    WHERE at <= (SELECT at FROM utilisation ORDER BY at DESC LIMIT 1 OFFSET ?)
"""

Span = tuple[int, int]
"""A period, in seconds since 1970."""


def percents(readings: Mapping[str, Sequence[Reading]]) -> dict[str, int]:
    """Return the GPU utilisation of those sessions of which it was measured, in per cent."""
    return {
        session: reading.percent
        for session, found in readings.items()
        for reading in found
        if reading.percent is not None
    }


class UtilisationLog:
    """Measurements of sessions, one in each check of their activity."""

    def __init__(self, history: HistoryStore) -> None:
        self._history = history
        self._swept = 0

    def record(self, found: Mapping[str, int], now: int) -> None:
        """Record measurements; errors of the disk are logged."""
        if not found:
            return
        rows = [(session, now, percent) for session, percent in found.items()]
        try:
            with self._history.opened() as file, file.transaction() as db:
                db.executemany(_PUT, rows)
                if now - self._swept >= _SWEEP:
                    db.execute(_OLD, (now - KEPT,))
                    db.execute(_TOO_MANY, (_MOST,))
                    self._swept = now
        except StorageFailed as error:
            _log.warning("%s", error)

    def since(self, at: int) -> dict[str, tuple[int, ...]]:
        """Return what was measured after a time, as far as it can be read; errors are logged."""
        found: dict[str, list[int]] = {}
        try:
            with self._history.opened() as file, file.connection() as db:
                for session, percent in db.execute(_SINCE, (at,)):
                    found.setdefault(session, []).append(percent)
        except StorageFailed as error:
            _log.warning("%s", error)
        return {session: tuple(percents) for session, percents in found.items()}

    def means(self, session: str, spans: Iterable[Span]) -> list[float | None]:
        """Return the mean of what was measured in each period, None without measurements.

        Raises StorageFailed.
        """
        with self._history.opened() as file, file.connection() as db:
            return [db.execute(_MEAN, (session, *span)).fetchone()[0] for span in spans]


T = TypeVar("T")

_log = logging.getLogger(__name__)


class Recorder:
    """The usage history and the activity log, in the file `path` or, without one, in memory."""

    def __init__(self, config: GpuQuota, board: Board, clock: Clock, path: Path | None) -> None:
        self._board = board
        self._clock = clock
        self._history = HistoryStore(config, board, path)
        self._utilisation = UtilisationLog(self._history)
        self._log = ActivityLog(self._history, config.idle_interval)
        self._interval = config.idle_interval
        self._known: Mapping[str, tuple[int, ...]] | None = None
        self._thread = ThreadPoolExecutor(1, "gpuquota-recorder")
        self._sampling: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Start taking samples."""
        self._sampling = asyncio.create_task(self._sample())

    async def close(self) -> None:
        """Write unsaved activity, and close the file."""
        if sampling := self._sampling:
            self._sampling = None
            sampling.cancel()
            with suppress(asyncio.CancelledError):
                await sampling
            await self._run(self._log.flush, self._now())
        await self._run(self._history.close)
        self._thread.shutdown()

    async def history(self, window: Window) -> History:
        """Return how projects used GPUs in a period. Raises StorageFailed."""
        found = await self._run(self._history.read, window, datetime.now(UTC))
        return await asyncio.to_thread(self._history.to_history, found, window)

    async def activity(self, since: datetime) -> list[Stretch]:
        """Return how sessions were used since a time. Raises StorageFailed."""
        return await self._run(self._log.read, int(since.timestamp()))

    async def note(self, observations: Sequence[Stretch], readings: Readings) -> None:
        """Record observations of the sessions' activity, and what was measured of their GPUs."""
        await self._run(self._log.record, observations, self._now())
        await self._note_utilisation(percents(readings))

    async def _note_utilisation(self, found: Mapping[str, int]) -> None:
        """Record and publish what was measured; what was before this controller counts, too."""
        if self._known is None:
            span = RECENT * self._interval
            self._known = await self._run(self._utilisation.since, self._now() - span)
        await self._run(self._utilisation.record, found, self._now())
        self._known = recent(self._known, found)
        self._board.utilisation.show(self._known)

    async def utilisation(self, session: str, spans: Sequence[Span]) -> list[float | None]:
        """Return the mean GPU utilisation of a session in periods. Raises StorageFailed."""
        return await self._run(self._utilisation.means, session, spans)

    async def sample(self) -> None:
        """Take a sample now."""
        await self._run(self._history.take_sample, self._board.settings.projects, time.time())
        await self._warn()

    async def _warn(self) -> None:
        self._board.warn("history", await self._run(self._history.warnings))

    async def _sample(self) -> None:
        """Take a sample in each interval in which a session is live or queued."""
        while True:
            trouble = ""
            try:
                if self._history.due(time.time()):
                    await self.sample()
                elif self._board.warnings("history"):  # an admin may have fixed the cause
                    await self._run(self._history.retry, time.time())
                    await self._warn()
            except Exception as error:  # noqa: BLE001 (a bug must not end the recording)
                _log.exception("recording the use of GPUs failed")
                trouble = f"Usage is not recorded: {error}. See the controller's log."
            self._board.warn("recorder", (trouble,))
            await asyncio.sleep(min(1.0, self._history.pause(time.time())))

    async def _run(self, work: Callable[..., T], *args: Any) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work, *args)

    def _now(self) -> int:
        return int(self._clock.now().timestamp())


RECENT = 40
"""Values that are kept of a session: 20 minutes with the usual 30 s between two checks."""


def recent(
    known: Mapping[str, tuple[int, ...]], found: Mapping[str, int]
) -> dict[str, tuple[int, ...]]:
    """Return the last values of each session that is still measured, the newest last."""
    return {
        session: (*known.get(session, ()), percent)[-RECENT:] for session, percent in found.items()
    }
