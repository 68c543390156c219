"""What has changed in the list of sessions since a caller read it.

All that is published is replaced and never changed in place: a session that is the same object is
unchanged.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol, TypeVar

from ...errors import FieldError, refused
from ...model.sessions import Session
from ...model.struct import Page

_MOST = 32
"""So many revisions are remembered: screens read again within seconds of a change."""


@dataclass(frozen=True, slots=True)
class Listed:
    """What a list is made of: sessions, when queued ones should start, and which pages save."""

    sessions: tuple[Session, ...] = ()
    starts: Mapping[str, datetime] = field(default_factory=dict)
    saving: Mapping[str, datetime] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Differing:
    """The sessions of two lists that are not the same: as they were, and as they are."""

    before: tuple[Session, ...]
    now: tuple[Session, ...]


def differing(before: Listed, now: Listed) -> Differing:
    """Return the sessions that have changed, come or gone between two lists."""
    old = {session.id: session for session in before.sessions}
    same = {
        session.id
        for session in now.sessions
        if old.get(session.id) is session
        and before.starts.get(session.id) == now.starts.get(session.id)
        and before.saving.get(session.id) == now.saving.get(session.id)
    }
    return Differing(
        before=tuple(session for session in before.sessions if session.id not in same),
        now=tuple(session for session in now.sessions if session.id not in same),
    )


class RecentLists:
    """The newest lists that were read, by their revisions."""

    def __init__(self) -> None:
        self._lists: OrderedDict[str, Listed] = OrderedDict()

    def note(self, revision: str, listed: Listed) -> None:
        """Remember a list.

        Of two with one revision the first stays: the second may be newer, as a revision is read
        before the list, and its reader must hear of what the reader of the first does not know.
        """
        self._lists.setdefault(revision, listed)
        if len(self._lists) > _MOST:
            self._lists.popitem(last=False)

    def at(self, revision: str) -> Listed | None:
        """Return the list of a revision, None if it is not known any more."""
        return self._lists.get(revision)


LIMIT = 1000
"""The most items of a page."""


class HasId(Protocol):
    """Something with a stable id."""

    @property
    def id(self) -> str:
        """The id."""


T = TypeVar("T", bound=HasId)


def page(items: Sequence[T], limit: int, cursor: str, revision: str) -> Page[T]:
    """Return the page after `cursor`, the id of the last item of the page before.

    Raises InvalidFields for a `limit` out of range, and if that item was deleted meanwhile.
    """
    if not 1 <= limit <= LIMIT:
        raise refused(FieldError("limit", f"A page holds 1 to {LIMIT} items."))
    ids = [item.id for item in items]
    if cursor and cursor not in ids:
        problem = FieldError(
            "cursor", "The list has changed since that page.", "Start again from the first page."
        )
        raise refused(problem)
    start = ids.index(cursor) + 1 if cursor else 0
    part = tuple(items[start : start + limit])
    more = start + limit < len(items)
    return Page(items=part, total=len(items), revision=revision, next=part[-1].id if more else "")
