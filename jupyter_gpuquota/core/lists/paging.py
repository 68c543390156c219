"""Pages of a list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

from ...errors import FieldError, refused
from ...model.struct import Page

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
