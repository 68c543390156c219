"""One session that is managed."""

from __future__ import annotations

import asyncio
import logging
import math
import time
from dataclasses import dataclass, field

from ...control.board import Board
from ...model.reasons import Reason
from ...model.sessions import Session
from ..labels import RECORD
from ..objects.meta import Object
from ..objects.workloads import Workload
from ..state.record import Record, decode, encode

_log = logging.getLogger(__name__)

_LIVE = ("waiting", "starting", "running", "stopping")
_MOST = 10
"""Most lost sessions that are named, the newest ones."""


class LostSessions:
    """The live sessions that were lost, as warnings."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._texts: dict[str, str] = {}

    def add(self, session: Session) -> None:
        """Warn of a session that is gone, if it was live."""
        if session.state not in _LIVE:
            return
        text = (
            f"{session.spec.name} of {session.spec.project} is gone: it was deleted in the "
            "cluster, or its namespace was, or it may no longer be read."
        )
        _log.warning("%s: %s", session.id, text)
        self._texts[session.id] = text
        if len(self._texts) > _MOST:
            del self._texts[next(iter(self._texts))]
        self._warn()

    def found(self, session: Session) -> None:
        """Withdraw the warning of a session that is there again."""
        if self._texts.pop(session.id, ""):
            self._warn()

    def _warn(self) -> None:
        self._board.warn("lost", self._texts.values())


_BETWEEN = 2.0
"""Seconds between two writes of how a start goes on. The MPI Operator begins its work on an MPIJob
again if that is written meanwhile, and later each time."""


@dataclass(slots=True, eq=False)
class Tracked:
    """A session with what is known of it beyond the watches.

    `stored` is the record as it was last written, at `stored_at` by a steady clock. `detached`: the
    Secret may hold the record, because the workload is being re-created. `followed`: another
    controller has written it last. `trouble` is why the last write failed. `starting` is the run
    that starts, and when that began by the clock of `StartClock`. `lock` orders the writes; `wake`
    asks for another look.
    """

    record: Record
    stored: str = ""
    stored_at: float = -math.inf
    detached: bool = False
    followed: bool = False
    trouble: Reason | None = None
    failures: int = 0
    starting: tuple[int, float] | None = None
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    wake: asyncio.Event = field(default_factory=asyncio.Event)
    _written: Workload | None = None
    _version: int = 0
    _theirs: str = ""
    _gone: set[str] = field(default_factory=set)

    def saw(self, workload: Workload) -> None:
        """Remember a workload that watches may show only later."""
        self._written = workload

    def wrote(self, workload: Workload) -> None:
        """Remember the answer to a change of ours, which watches may show only later."""
        self.saw(workload)
        self._version = workload.version

    def keeps(self, record: Record) -> None:
        """Remember the record that was just written."""
        self.stored, self.stored_at = encode(record), time.monotonic()

    def unsaved(self) -> float | None:
        """Return the seconds until a changed record is to be written, None for no change.

        Any controller sees again how a start goes on, so this may be written late.
        """
        if encode(self.record) == self.stored:
            return None
        if self.record.session.state != "starting":
            return 0.0
        return max(0.0, self.stored_at + _BETWEEN - time.monotonic())

    def deleted(self, uid: str) -> None:
        """Remember that a workload was deleted, which watches may show only later."""
        self._gone.add(uid)
        self._written = None

    def distrust(self) -> None:
        """Forget what was written: it is not there any more."""
        self._written = None

    def follow(self, found: Object) -> None:
        """Take over the record of a workload or Secret if another controller has written it.

        A user may have a controller on each of several machines: what is written last counts, as
        after a restart. A record of another session, or another owner's, is overwritten instead.
        """
        text = found.metadata.annotations.get(RECORD, "")
        if text in (self.stored, self._theirs) or found.version <= self._version:
            return
        self._version, self._theirs = found.version, text
        theirs = decode(text).value
        if theirs is None or _identity(theirs.session) != _identity(self.record.session):
            self.stored = text
            return
        self.record, self.followed = theirs, True
        self.stored = encode(theirs)

    def workload(self, watched: Workload | None) -> Workload | None:
        """Return the newest of what was written and what is watched."""
        if watched is not None and watched.metadata.uid in self._gone:
            watched = None
        mine = self._written
        if mine is None:
            return watched
        same = watched is not None and watched.metadata.uid == mine.metadata.uid
        if watched is not None and same and watched.version >= mine.version:
            self._written = None
            return watched
        return mine


def _identity(session: Session) -> tuple[str, ...]:
    spec = session.spec
    return session.id, session.owner, spec.project, spec.name, spec.kind
