"""What a backend implements so that our own scheduling core can run sessions on it.

Every method runs in the worker thread. A backend whose engine schedules by itself, as on a
cluster, implements the ports `Sessions` and `Planning` instead.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from ..errors import FieldError, StorageFailed
from ..model.reasons import Reason
from ..model.resources import Placement
from ..model.sessions import Session, SessionSpec
from ..model.struct import Message
from .inventory import Inventory
from .storage.sqlite import Database


class SessionStore(Protocol):
    """Stores sessions and publishes them on the board."""

    def open(self) -> Database:
        """Load and publish the sessions; return the database for the settings of admins.

        Raises StorageFailed, VersionMismatch.
        """

    def close(self) -> None:
        """Close everything."""

    def warnings(self) -> tuple[str, ...]:
        """Return warnings for admins."""

    def add(self, session: Session) -> None:
        """Store a new session. Raises StorageFailed or NameTaken, and then leaves nothing."""

    def save(self, session: Session) -> None:
        """Store a new state, then publish it. Raises StorageFailed: nothing changed."""

    def settle(self, session: Session) -> None:
        """Publish an event that has already happened, and store it now or later."""

    def note(self, session: Session) -> None:
        """Publish a state that is not stored, because a restart would observe it again."""

    def remove(self, session: Session) -> None:
        """Delete a session and its files. Raises StorageFailed: nothing changed."""

    def retry(self) -> bool:
        """Store what could not be stored before; return whether everything is stored now."""

    def fail(self, error: StorageFailed) -> None:
        """Remember a failure to write, for the warnings, until writing succeeds."""


class Runner(Protocol):
    """Starts, observes and ends what sessions run."""

    def open(self) -> Inventory:
        """Prepare, and return the inventory."""

    def close(self) -> None:
        """Release all resources; sessions keep running."""

    def check(self, spec: SessionSpec, live: Iterable[Session]) -> Iterable[FieldError]:
        """Yield why a request cannot run beside the live sessions."""

    def start(self, session: Session, placement: Placement) -> None:
        """Start a queued session. Raises StorageFailed; the session stays queued then.

        After any other error the session fails, with the reason.
        """

    def observe(self, session: Session) -> None:
        """Observe a live session, and do what its state requires."""

    def ready(self, session: Session, step: Message) -> None:
        """Publish that a starting session is running."""

    def give_up(self, session: Session, reason: Reason) -> None:
        """End a session that fails to start; it fails for this reason once it has ended."""

    def measure(self) -> Inventory | None:
        """Return the present inventory; None if it is not due to be read."""

    def step(self) -> None:
        """Clean up processes that outlived their sessions. Raises OSError."""
