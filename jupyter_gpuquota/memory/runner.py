"""Sessions without processes: they start and end at once."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

import msgspec

from ..control.board import Board
from ..control.inventory import Inventory
from ..control.settings.stored import TABLES
from ..control.storage.sqlite import Database, Kind
from ..core.idle.endings import concluded
from ..core.lifecycle import finish_end, move, note
from ..core.usage.isolation import isolation_of
from ..errors import FieldError, Internal, StorageFailed
from ..model.messages.build import message
from ..model.messages.formats import place_arg
from ..model.reasons import Reason
from ..model.resources import Placement
from ..model.sessions import Session, SessionSpec
from ..model.struct import Message

_KIND = Kind(name="What admins set", migrations=(TABLES,), pragmas=())


class MemoryStore:
    """Sessions that are only on the board."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._database: Database | None = None

    def open(self) -> Database:
        """Return a database in memory for the settings of admins."""
        self._database = Database(None, _KIND)
        return self._database

    def close(self) -> None:
        """Close the database."""
        if self._database:
            self._database.close()

    def warnings(self) -> tuple[str, ...]:
        """Return no warnings: memory has no storage to fail."""
        return ()

    def add(self, session: Session) -> None:
        """Publish a new session."""
        self._board.show(session)

    def save(self, session: Session) -> None:
        """Publish a new state."""
        self._board.show(session)

    def settle(self, session: Session) -> None:
        """Publish a state after an event."""
        self._board.show(session)

    def note(self, session: Session) -> None:
        """Publish a state that is not stored."""
        self._board.show(session)

    def remove(self, session: Session) -> None:
        """Remove a session."""
        self._board.drop(session.id)

    def retry(self) -> bool:
        """Return True: nothing has to be stored."""
        return True

    def fail(self, error: StorageFailed) -> None:
        """Raise Internal: writing to memory cannot fail."""
        raise Internal(f"Memory cannot be written: {error}") from error


class MemoryRunner:
    """Moves sessions from state to state, without processes."""

    def __init__(self, board: Board, found: Inventory) -> None:
        self._board = board
        self._found = found

    def open(self) -> Inventory:
        """Return the inventory."""
        return self._found

    def close(self) -> None:
        """Do nothing: nothing is open."""

    def check(self, spec: SessionSpec, live: Iterable[Session]) -> Iterable[FieldError]:
        """Return no errors: any request can run."""
        return ()

    def start(self, session: Session, placement: Placement) -> None:
        """Start a session."""
        now = datetime.now(UTC)
        started = msgspec.structs.replace(
            note(
                move(session, "starting", now),
                message("progress.placed", place=place_arg(placement)),
                now,
            ),
            run=session.run + 1,
            placement=placement,
            isolation=isolation_of(session.spec.share, simulated=True, mps=False),
        )
        self.ready(started, message("progress.simulated"))

    def observe(self, session: Session) -> None:
        """End a stopping session."""
        if session.state == "stopping":
            self._board.show(finish_end(concluded(session), datetime.now(UTC)))

    def ready(self, session: Session, step: Message) -> None:
        """Publish that a session is running."""
        now = datetime.now(UTC)
        self._board.show(note(move(session, "running", now), step, now))

    def give_up(self, session: Session, reason: Reason) -> None:
        """Publish that a session has failed."""
        self._board.show(move(session, "failed", datetime.now(UTC), reason))

    def measure(self) -> Inventory | None:
        """Return None: simulated devices do not change."""
        return None

    def step(self) -> None:
        """Do nothing: there are no processes to clean up."""
