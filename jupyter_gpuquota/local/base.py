"""Hold the engine and the one thread that it works in, and look after the sessions meanwhile."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any, ClassVar, TypeVar

from ..control.activity_poller import Looker, Seen, Senses
from ..control.signals.presence import Presence
from ..control.webhook import Webhook
from ..core.policy import Limits
from ..model.sessions import Session
from .config import LocalConfig
from .devices import Devices, find_devices
from .engine import Engine
from .folders import SessionFolder
from .readiness import Readiness
from .signals.signals import Signals

T = TypeVar("T")

_log = logging.getLogger(__name__)

QUIET = ("suspended", "stopped", "done", "failed")
"""States in which nothing has to be looked after."""


class Base:
    """Hold the engine, and the one thread that it works in."""

    Config: ClassVar[type[LocalConfig]] = LocalConfig

    def __init__(
        self, config: LocalConfig, devices: Devices | None = None, senses: Senses | None = None
    ) -> None:
        self._config = config
        self._devices = devices or find_devices(config)
        self._engine = Engine(config, self._devices)
        self._board = self._engine.board
        self._worker = ThreadPoolExecutor(1, "gpuquota-local")
        self._readiness = Readiness(self._folder, self._ready)
        clock = self._engine.clock
        self._presence = Presence(clock)
        senses = senses or Signals(self._folder, self._devices, clock, self._presence)
        pause = clock.real(timedelta(seconds=config.idle_interval))
        self._looker = Looker(senses, self._to_look_at, self._take, pause)
        self._webhook = Webhook(config.webhook)
        self._wake = asyncio.Event()
        self._running: asyncio.Task[None] | None = None
        self._trouble = ""

    async def start(self) -> None:
        """Load the state, adopt what runs, and look after it from now on.

        Raises StorageFailed, VersionMismatch.
        """
        await self._work(self._engine.open)
        self._running = asyncio.create_task(self._run())
        self._looker.start()

    async def close(self) -> None:
        """Let go of everything; sessions run on."""
        if running := self._running:
            self._running = None
            running.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await running
            await self._looker.close()
            await self._webhook.close()
            await self._readiness.close()
            await self._work(self._engine.close)
        self._worker.shutdown()

    def idle(self) -> bool:
        """Tell whether nothing is live and nothing waits."""
        return all(s.state in QUIET for s in self._board.sessions)

    async def _run(self) -> None:
        while True:
            self._wake.clear()
            try:
                pause = await self._work(self._engine.step)
                self._trouble = ""
            except Exception as error:  # noqa: BLE001 (a fault of ours must not end the care for all)
                _log.exception("looking after the sessions failed")
                self._trouble = f"Looking after the sessions fails: {error}. See the log."
                pause = 1.0
            self._tell()
            self._readiness.follow(self._board.sessions)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await self._wake.wait()

    async def _work(self, work: Callable[..., T], *args: Any) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._worker, work, *args)

    async def _act(self, work: Callable[..., T], *args: Any) -> T:
        """Do something that a user asked for, and look at its effects at once."""
        try:
            return await self._work(work, *args)
        finally:
            self._wake.set()

    async def _ready(self, session_id: str, run: int, problem: str) -> None:
        await self._act(self._engine.ready, session_id, run, problem)

    async def _to_look_at(self) -> tuple[Sequence[Session], Mapping[str, Limits]]:
        limits = await self._work(self._engine.idle.limits)
        return [self._engine.find(session_id) for session_id in limits], limits

    async def _take(self, seen: Seen) -> None:
        await self._act(self._engine.take, seen)
        self._tell()

    def _tell(self) -> None:
        """Tell those who are away what is new."""
        news = self._engine.news
        self._webhook.tell(news.get() for _ in range(news.qsize()))

    def _folder(self, session: Session) -> SessionFolder:
        return self._engine.state.folder(session)
