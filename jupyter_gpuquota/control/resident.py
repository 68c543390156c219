"""A backend's life in a controller: the loop that looks after its sessions, and one worker thread.

Reads come from the board at once. What changes something is done in the worker thread, what is
read of the past in the recorder's; nothing blocks the event loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import Executor
from typing import Any, Protocol, TypeVar

from ..core.policy import Limits
from ..model.sessions import Session
from .activity_poller import ActivityPoller, Seen
from .board import Board
from .recorder import Recorder
from .webhook import Webhook
from .worker import Worker

T = TypeVar("T")

_log = logging.getLogger(__name__)

QUIET = ("suspended", "stopped", "done", "failed")
"""States in which nothing has to be looked after."""
_AFTER_A_FAULT = 1.0

Report = Callable[[str, int, str], Awaitable[None]]
"""Take note that the server of a session's run answers, or why it must not be shown."""


class Readiness(Protocol):
    """What waits, in the event loop, for the servers of sessions that are starting."""

    def follow(self, sessions: Sequence[Session], report: Report) -> None:
        """Wait for exactly the servers among these that are starting, and report each once."""

    async def close(self) -> None:
        """Stop waiting."""


class Resident:
    """What lives in a controller from `start` to `close`."""

    def __init__(
        self,
        worker: Worker,
        thread: Executor,
        recorder: Recorder,
        poller: ActivityPoller,
        webhook: Webhook,
        readiness: Readiness | None = None,
    ) -> None:
        self.worker = worker
        self.recorder = recorder
        self.board: Board = worker.board
        self._thread = thread
        self._poller = poller
        self._webhook = webhook
        self._readiness = readiness
        self._wake = asyncio.Event()
        self._running: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Load the state, adopt what runs, and look after it from now on.

        Raises StorageFailed, VersionMismatch.
        """
        await self.work(self.worker.open)
        self._running = asyncio.create_task(self._run())
        self.recorder.start()
        self._poller.start(self._to_look_at, self._take)

    async def close(self) -> None:
        """Let go of everything; sessions run on."""
        if running := self._running:
            self._running = None
            running.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await running
            await self._poller.close()
            await self._webhook.close()
            if self._readiness:
                await self._readiness.close()
            await self.work(self.worker.close)
        await self.recorder.close()
        self._thread.shutdown()

    def idle(self) -> bool:
        """Return whether nothing is live and nothing waits."""
        return all(s.state in QUIET for s in self.board.sessions)

    async def work(self, work: Callable[..., T], *args: Any) -> T:
        """Do something in the worker thread."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, work, *args)

    async def act(self, work: Callable[..., T], *args: Any) -> T:
        """Do something that a user asked for, and look at its effects at once."""
        try:
            return await self.work(work, *args)
        finally:
            self._wake.set()

    async def _run(self) -> None:
        trouble = ""
        while True:
            self._wake.clear()
            try:
                pause = await self.work(self.worker.step)
                trouble = ""
            except Exception as error:  # noqa: BLE001 (a fault of ours must not end the care for all)
                _log.exception("looking after the sessions failed")
                trouble = f"Looking after the sessions fails: {error}. See the log."
                pause = _AFTER_A_FAULT
            self.board.warn("resident", (trouble, self._poller.trouble, self._webhook.trouble))
            self._tell()
            if self._readiness:
                self._readiness.follow(self.board.sessions, self._ready)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await self._wake.wait()

    async def _ready(self, session_id: str, run: int, problem: str) -> None:
        await self.act(self.worker.ready, session_id, run, problem)

    async def _to_look_at(self) -> tuple[Sequence[Session], Mapping[str, Limits]]:
        limits = await self.work(self.worker.idle.limits)
        known = self.board.by_id
        return [known[session_id] for session_id in limits if session_id in known], limits

    async def _take(self, seen: Seen) -> None:
        looks = await self.act(self.worker.take, seen)
        await self.recorder.note(looks)
        self._tell()

    def _tell(self) -> None:
        """Post to those who are away what is new."""
        news = self.worker.news
        self._webhook.tell(news.get() for _ in range(news.qsize()))
