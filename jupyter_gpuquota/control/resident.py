"""A backend in a controller: the loop that manages its sessions, and one worker thread.

Reads come from the board at once. Changes run in the worker thread, queries of the past in the
recorder's; nothing blocks the event loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import Executor
from typing import Any, Protocol, TypeVar

from ..core.idle.policy import Limits
from ..model.reasons import Reason
from ..model.sessions import Session
from .board import Board
from .idle.activity_poller import ActivityPoller, Readings
from .recorder import Recorder
from .webhook import Webhook
from .worker import Worker

T = TypeVar("T")

_log = logging.getLogger(__name__)

INACTIVE = ("suspended", "stopped", "done", "failed")
"""States in which a session has no processes and is not queued."""
_AFTER_A_FAULT = 1.0

Report = Callable[[str, int, Reason | None], Awaitable[None]]
"""Called with a session, its run and None when its server is ready, or why it must not be shown."""


class Readiness(Protocol):
    """Waits, in the event loop, for the servers of starting sessions."""

    def follow(self, sessions: Sequence[Session], report: Report) -> None:
        """Wait for exactly the servers among these that are starting, and report each once."""

    async def close(self) -> None:
        """Stop waiting."""


class Companion(Protocol):
    """What else runs with the controller, in its event loop."""

    async def start(self) -> None:
        """Begin. Raises StorageFailed."""

    def follow(self, sessions: Sequence[Session]) -> None:
        """Note that sessions may have changed."""

    async def close(self) -> None:
        """Stop; what runs outside of the controller goes on."""


class Resident:
    """Manages the sessions of a backend from `start` to `close`."""

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
        self.companions: list[Companion] = []
        """What a backend adds before the start."""
        self._wake = asyncio.Event()
        self._running: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Load the state, adopt running sessions, and begin to manage them.

        Raises StorageFailed, VersionMismatch.
        """
        await self.work(self.worker.open)
        self._running = asyncio.create_task(self._run())
        self.recorder.start()
        self._poller.start(self._watched, self._record)
        for companion in self.companions:
            await companion.start()

    async def close(self) -> None:
        """Release all resources; sessions keep running."""
        if running := self._running:
            self._running = None
            for companion in self.companions:
                await companion.close()
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
        """Return whether no session is live or queued."""
        return all(s.state in INACTIVE for s in self.board.sessions)

    def ended(self) -> str:
        """Return an empty text: nothing else can take over this backend."""
        return ""

    async def work(self, work: Callable[..., T], *args: Any) -> T:
        """Call a function in the worker thread."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, work, *args)

    async def act(self, work: Callable[..., T], *args: Any) -> T:
        """Carry out a user's request in the worker thread, then run the loop at once."""
        try:
            return await self.work(work, *args)
        finally:
            self._wake.set()

    def wake(self) -> None:
        """Run the loop at once."""
        self._wake.set()

    async def keep_alive(self, session_id: str, span: int) -> Session:
        """Keep a session alive. Raises NotFound, WrongState, NotAllowed, StorageFailed."""
        return await self.act(self.worker.keep_alive, session_id, span)

    async def _run(self) -> None:
        trouble = ""
        while True:
            self._wake.clear()
            try:
                pause = await self.work(self.worker.step)
                trouble = ""
            except Exception as error:  # noqa: BLE001 (a bug must not end the management of all sessions)
                _log.exception("managing the sessions failed")
                trouble = f"Sessions cannot be managed: {error}. See the controller's log."
                pause = _AFTER_A_FAULT
            self.board.warn("resident", (trouble, self._poller.trouble, self._webhook.trouble))
            self._notify()
            if self._readiness:
                self._readiness.follow(self.board.sessions, self._ready)
            for companion in self.companions:
                companion.follow(self.board.sessions)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await self._wake.wait()

    async def _ready(self, session_id: str, run: int, problem: Reason | None) -> None:
        await self.act(self.worker.ready, session_id, run, problem)

    async def _watched(self) -> tuple[Sequence[Session], Mapping[str, Limits]]:
        limits = await self.work(self.worker.idle.limits)
        known = self.board.by_id
        return [known[session_id] for session_id in limits if session_id in known], limits

    async def _record(self, readings: Readings) -> None:
        observations = await self.act(self.worker.record_activity, readings)
        await self.recorder.note(observations, readings)
        self._notify()

    def _notify(self) -> None:
        """Post pending notifications to the webhook."""
        queue = self.worker.notifications
        self._webhook.post(queue.get() for _ in range(queue.qsize()))
