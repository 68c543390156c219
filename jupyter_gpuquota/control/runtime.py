"""What a backend adds so that our own scheduling core can run sessions on it.

Every method belongs to the worker thread. A backend whose engine decides by itself, as on a
cluster, provides the ports `Sessions` and `Planning` of its own instead.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from ..errors import FieldError, StorageFailed
from ..model.reasons import Reason
from ..model.resources import Placement
from ..model.sessions import Session, SessionSpec
from .inventory import Inventory
from .sqlite import Database


class SessionStore(Protocol):
    """What keeps sessions and publishes them on the board."""

    def open(self) -> Database:
        """Read what is kept and publish it; return the database of what admins set.

        Raises StorageFailed, VersionMismatch.
        """

    def close(self) -> None:
        """Close everything."""

    def warnings(self) -> tuple[str, ...]:
        """Return what an admin should hear of."""

    def add(self, session: Session) -> None:
        """Keep a new session. Raises StorageFailed or NameTaken, and then nothing is left."""

    def save(self, session: Session) -> None:
        """Keep a new state, then publish it. Raises StorageFailed, and changes nothing."""

    def settle(self, session: Session) -> None:
        """Publish what has happened anyway, and keep it now or later."""

    def note(self, session: Session) -> None:
        """Publish what is found out anew after a restart, and so is not kept."""

    def remove(self, session: Session) -> None:
        """Forget a session and what belongs to it. Raises StorageFailed; nothing has changed."""

    def retry(self) -> bool:
        """Keep what could not be kept before; return whether all is kept now."""

    def fail(self, error: StorageFailed) -> None:
        """Note that writing fails, for the warnings, until it succeeds."""


class Runner(Protocol):
    """What starts, follows and ends what sessions run."""

    def open(self) -> Inventory:
        """Prepare, and return what there is to share out."""

    def close(self) -> None:
        """Let go; sessions run on."""

    def check(self, spec: SessionSpec, live: Iterable[Session]) -> Iterable[FieldError]:
        """Yield what keeps a request from being run here, beside those that are live."""

    def start(self, session: Session, placement: Placement) -> None:
        """Start a waiting session. Raises StorageFailed; then it waits on.

        What else goes wrong becomes of the session itself: it fails, with the reason.
        """

    def look(self, session: Session) -> None:
        """Find out what has become of a live session, and do what its state asks for."""

    def ready(self, session: Session, message: str) -> None:
        """Publish that a starting session is up."""

    def give_up(self, session: Session, reason: Reason) -> None:
        """End a session that starts wrongly; it fails for this reason once it has gone."""

    def measure(self) -> Inventory | None:
        """Return the devices as they are now; None where it is not time to look at them."""

    def step(self) -> None:
        """Look after what belongs to no session any more. Raises OSError."""
