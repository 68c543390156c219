"""The published state in memory: sessions, nodes, settings, warnings and revisions.

The worker thread publishes, the event loop reads. Every value is replaced and never changed in
place, so that readers need no lock and never wait.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import threading
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Generic, TypeVar

import msgspec

from ..core.datasets.mounts import Verdict, held
from ..core.names import not_found
from ..core.scheduling.snapshot import ClusterSnapshot
from ..core.usage.quota import sum_up
from ..model.about import Revisions
from ..model.nodes import Reading
from ..model.quota import Quota
from ..model.resources import Holding, Node
from ..model.routes.table import NOUNS
from ..model.sessions import Session
from .inventory import Inventory
from .settings.settings import Settings

Fact = TypeVar("Fact")

_WARNINGS = "about"
"""What has the warnings: it has no revision of its own, but screens hear of its changes."""

_PARTS = {"policy": "policy", "data": "datasets", "volumes": "volumes", "templates": "templates"}
"""The noun of each part of the settings; all others belong to `quota`."""


class BySession(Generic[Fact]):
    """Something that is known of sessions, by their ids."""

    def __init__(self, publish: Callable[[], None]) -> None:
        self.by_session: Mapping[str, Fact] = MappingProxyType({})
        self._publish = publish

    def show(self, found: Mapping[str, Fact]) -> bool:
        """Publish what is known now; return whether it has changed."""
        if found == self.by_session:
            return False
        self.by_session = MappingProxyType(dict(found))
        self._publish()
        return True


class Board:
    """The newest state, and a count of its changes that callers can wait for.

    Sessions are in the order in which they were first published, which is that of their creation.
    """

    def __init__(self) -> None:
        self.instance = secrets.token_hex(8)
        self.by_id: Mapping[str, Session] = MappingProxyType({})
        self.sessions: tuple[Session, ...] = ()
        self.nodes: tuple[Node, ...] = ()
        self.readings: Mapping[str, Reading] = MappingProxyType({})
        self.found_nodes: tuple[Node, ...] = ()
        """Nodes as they are found, without the groups that admins set."""
        self.holdings: tuple[Holding, ...] = ()
        self.settings = Settings()
        self.data = BySession[Verdict](lambda: self._publish(()))
        """Whether sessions may start as far as their datasets are concerned."""
        self.utilisation = BySession[tuple[int, ...]](lambda: self._publish({"utilisation"}))
        """The GPU utilisation of sessions at the last checks, in per cent, the newest last."""
        self.starts = BySession[datetime](lambda: self._publish({"sessions"}))
        """When queued sessions should start, where that is known."""
        self._warnings: Mapping[str, tuple[str, ...]] = MappingProxyType({})
        self._nouns = dict.fromkeys((*NOUNS, _WARNINGS), 1)
        self._latest = 1
        self._waiters: set[tuple[asyncio.AbstractEventLoop, asyncio.Future[None]]] = set()
        self._lock = threading.Lock()

    def revision(self, noun: str) -> str:
        """Return the revision of a noun."""
        return str(self._nouns[noun])

    @property
    def latest(self) -> int:
        """How many changes there were."""
        return self._latest

    def find(self, session_id: str) -> Session:
        """Return a session. Raises NotFound."""
        if session_id not in self.by_id:
            raise not_found(session_id)
        return self.by_id[session_id]

    def show(self, *sessions: Session) -> None:
        """Publish new and changed sessions."""
        nouns = {"sessions"}
        for session in sessions:
            nouns |= _touched(self.by_id.get(session.id), session)
        self._publish(nouns, sessions)

    def drop(self, session_id: str) -> None:
        """Remove a session."""
        sessions = dict(self.by_id)
        if sessions.pop(session_id, None):
            self.by_id = MappingProxyType(sessions)
            self._publish({"sessions", "quota"})

    def show_inventory(self, found: Inventory, nodes: tuple[Node, ...]) -> None:
        """Publish the detected devices; `nodes` carry the groups that admins set."""
        nouns = set()
        if nodes != self.nodes or found.holdings != self.holdings:
            nouns = {"nodes", "gpus", "quota"}
        elif dict(found.readings) != dict(self.readings):
            nouns = {"nodes", "gpus"}
        self.found_nodes, self.holdings = found.nodes, found.holdings
        if nouns:
            self.nodes = nodes
            self.readings = MappingProxyType(dict(found.readings))
            self._publish(nouns)

    def touch(self, noun: str) -> None:
        """Publish that something has changed that is not on the board itself."""
        self._publish({noun})

    def warn(self, source: str, texts: Iterable[str]) -> None:
        """Publish the warnings of one source, replacing its earlier ones."""
        said = tuple(text for text in texts if text)
        with self._lock:
            is_new = said != self._warnings.get(source, ())
            self._warnings = MappingProxyType({**self._warnings, source: said})
        if is_new:
            self.touch(_WARNINGS)

    def warnings(self, *sources: str) -> tuple[str, ...]:
        """Return the warnings of these sources, or of all."""
        known = self._warnings
        return tuple(text for source in sources or known for text in known.get(source, ()))

    def show_settings(self, settings: Settings) -> None:
        """Publish the settings of admins."""
        old, self.settings = self.settings, settings
        same = {part: getattr(old, part) for part in _PARTS}
        nouns = {noun for part, noun in _PARTS.items() if getattr(settings, part) != same[part]}
        if msgspec.structs.replace(settings, **same) != old:
            nouns.add("quota")
        if nouns:
            self._publish(nouns)

    async def changed(self, since: str, timeout: float) -> Revisions:
        """Wait until the latest revision differs from `since`, or `timeout` seconds."""
        waiter = (asyncio.get_running_loop(), asyncio.get_running_loop().create_future())
        with self._lock:
            if str(self._latest) != since:
                return self._revisions()
            self._waiters.add(waiter)
        try:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(timeout):
                    await waiter[1]
        finally:
            with self._lock:
                self._waiters.discard(waiter)
        return self._revisions()

    @property
    def watched(self) -> bool:
        """Whether a caller waits for changes."""
        return bool(self._waiters)

    def _revisions(self) -> Revisions:
        nouns = {noun: str(count) for noun, count in self._nouns.items()}
        return Revisions(instance=self.instance, latest=str(self._latest), nouns=nouns)

    def _publish(self, nouns: Iterable[str], sessions: Iterable[Session] = ()) -> None:
        with self._lock:
            self._latest += 1
            latest = self._latest
            merged = dict(self.by_id)
            for session in sessions:
                merged[session.id] = msgspec.structs.replace(session, revision=str(latest))
            self.by_id = MappingProxyType(merged)
            self.sessions = tuple(merged.values())
            self._nouns = {**self._nouns, **dict.fromkeys(nouns, latest)}
            waiters, self._waiters = self._waiters, set()
        for loop, future in waiters:
            loop.call_soon_threadsafe(_wake, future)


def snapshot_of(board: Board, now: datetime) -> ClusterSnapshot:
    """Return the input of a scheduling cycle."""
    return ClusterSnapshot(
        sessions=board.sessions,
        projects=board.settings.projects,
        nodes=board.nodes,
        now=now,
        rules=board.settings.rules,
        holdings=board.holdings,
        held=held(board.sessions, board.data.by_session),
    )


def _touched(old: Session | None, new: Session) -> set[str]:
    """Return the nouns, besides sessions, that a change of one session affects."""
    nouns: set[str] = set()
    if old is None or (old.state, old.placement) != (new.state, new.placement):
        nouns.add("quota")
    before = (old.placement, old.usage) if old else (None, None)
    if before != (new.placement, new.usage):
        nouns |= {"nodes", "gpus"}
    return nouns


def _wake(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)


class BoardUsage:
    """The GPUs held by the sessions on the board and by foreign workloads."""

    def __init__(self, board: Board, interval: int) -> None:
        self._board = board
        self.interval = interval
        """Seconds between two measurements of sessions' utilisation."""

    def quota(self) -> Quota:
        """Return what every project has, uses and requests."""
        board = self._board
        return sum_up(
            board.settings.projects,
            board.sessions,
            board.nodes,
            board.holdings,
            board.revision("quota"),
        )

    def holdings(self) -> tuple[Holding, ...]:
        """Return the GPUs held by workloads that are not our sessions."""
        return self._board.holdings

    def utilisation(self) -> Mapping[str, tuple[int, ...]]:
        """Map each session whose GPU utilisation is measured to its last values, in per cent."""
        return self._board.utilisation.by_session
