"""What the controller and users say of cached versions: last use, and pins. All functions block."""

from __future__ import annotations

import hashlib
from datetime import datetime
from pathlib import Path

from ...errors import NotFound
from ...model.datasets.caches import Pin
from . import records
from .failures import storage
from .places import Place
from .records import Used


def use(place: Place, when: datetime) -> None:
    """Note that a session uses a version now. Only the controller does.

    :raises StorageFailed: it cannot be written.
    """
    with storage(place.root):
        records.write(place.side / "used.json", Used(when), durable=False)


def pin(place: Place, wish: Pin) -> None:
    """Keep a version for a user, who may have one pin; also one that is not cached yet.

    :raises StorageFailed: it cannot be written.
    """
    with storage(place.root):
        records.write(_pin(place, wish.user), wish)


def unpin(place: Place, user: str) -> None:
    """Remove a user's pin.

    :raises NotFound: the user has none here.
    :raises StorageFailed: it cannot be removed.
    """
    with storage(place.root):
        try:
            _pin(place, user).unlink()
        except FileNotFoundError as error:
            raise NotFound(
                f"{user} has no pin on {place.dataset}@{place.version[:12]}.",
                hint="List who has pinned it: data caches.",
            ) from error


def _pin(place: Place, user: str) -> Path:
    """Return the file of a user's pin; names of users may contain anything."""
    return place.side / "pins" / f"{hashlib.sha256(user.encode()).hexdigest()[:32]}.json"
