"""Cut a list into pages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

from ..errors import FieldError, InvalidFields
from ..model.base import Page

LIMIT = 1000
"""Most items of one page."""


class HasId(Protocol):
    """Something with a stable id."""

    @property
    def id(self) -> str:
        """The id."""


T = TypeVar("T", bound=HasId)


def page(items: Sequence[T], limit: int, cursor: str, revision: str) -> Page[T]:
    """Return the page after `cursor`, which is the id of the last item of the page before.

    Items keep their order; one that was deleted meanwhile ends the walk with InvalidFields.
    """
    if not 1 <= limit <= LIMIT:
        problem = FieldError("limit", f"A page holds 1 to {LIMIT} items.")
        raise InvalidFields(problem.message, fields=(problem,))
    ids = [item.id for item in items]
    if cursor and cursor not in ids:
        problem = FieldError("cursor", "The list has changed since that page.", "Begin again.")
        raise InvalidFields(problem.message, fields=(problem,))
    start = ids.index(cursor) + 1 if cursor else 0
    part = tuple(items[start : start + limit])
    more = start + limit < len(items)
    return Page(items=part, total=len(items), revision=revision, next=part[-1].id if more else "")
