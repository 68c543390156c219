"""Sessions that run nothing: what is started runs at once, what is ended has ended at once."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

import msgspec

from ..control.board import Board
from ..control.inventory import Inventory
from ..control.settings import TABLES
from ..control.sqlite import Database, Kind
from ..core.idle_end import concluded
from ..core.isolation import isolation_of
from ..core.lifecycle import finish_end, move, note
from ..errors import FieldError, Internal, StorageFailed
from ..model.reasons import Reason
from ..model.resources import Placement
from ..model.sessions import Session, SessionSpec

_KIND = Kind(name="What admins set", migrations=(TABLES,), pragmas=())


class MemoryStore:
    """Sessions on the board and nowhere else."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._database: Database | None = None

    def open(self) -> Database:
        """Return a database in memory for what admins set."""
        self._database = Database(None, _KIND)
        return self._database

    def close(self) -> None:
        """Forget what admins have set."""
        if self._database:
            self._database.close()

    def warnings(self) -> tuple[str, ...]:
        """Return nothing: what is in memory does not go wrong."""
        return ()

    def add(self, session: Session) -> None:
        """Publish a new session."""
        self._board.show(session)

    def save(self, session: Session) -> None:
        """Publish a new state."""
        self._board.show(session)

    def settle(self, session: Session) -> None:
        """Publish what has happened."""
        self._board.show(session)

    def note(self, session: Session) -> None:
        """Publish what is found out anew."""
        self._board.show(session)

    def remove(self, session: Session) -> None:
        """Forget a session."""
        self._board.drop(session.id)

    def retry(self) -> bool:
        """Return that all is kept."""
        return True

    def fail(self, error: StorageFailed) -> None:
        """Raise Internal: nothing here can fail to be written."""
        raise Internal(f"Memory cannot be written: {error}") from error


class MemoryRunner:
    """What moves sessions from state to state without a process."""

    def __init__(self, board: Board, found: Inventory) -> None:
        self._board = board
        self._found = found

    def open(self) -> Inventory:
        """Return what there is to share out."""
        return self._found

    def close(self) -> None:
        """Do nothing: nothing runs."""

    def check(self, spec: SessionSpec, live: Iterable[Session]) -> Iterable[FieldError]:
        """Return nothing: any request can be run that runs nothing."""
        return ()

    def start(self, session: Session, placement: Placement) -> None:
        """Let a session run."""
        now = datetime.now(UTC)
        started = msgspec.structs.replace(
            note(move(session, "starting", now), f"Reserved {placement.text}", now),
            run=session.run + 1,
            placement=placement,
            isolation=isolation_of(session.spec.share, simulated=True, mps=False),
        )
        self.ready(started, "Running in memory only: no process is started")

    def look(self, session: Session) -> None:
        """Let a session end that is on its way to that."""
        if session.state == "stopping":
            self._board.show(finish_end(concluded(session), datetime.now(UTC)))

    def ready(self, session: Session, message: str) -> None:
        """Publish that a session is up."""
        now = datetime.now(UTC)
        self._board.show(note(move(session, "running", now), message, now))

    def give_up(self, session: Session, reason: Reason) -> None:
        """Publish that a session has failed."""
        self._board.show(move(session, "failed", datetime.now(UTC), reason))

    def measure(self) -> Inventory | None:
        """Return nothing: devices that do not exist do not change."""
        return None

    def step(self) -> None:
        """Do nothing: nothing is left behind."""
