"""What would happen to a request."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from .base import FieldProblem, Model, Open
from .reasons import Reason
from .resources import Isolation, Placement, Share

PreviewVerdict = Literal["fits", "borrows", "reclaims", "waits", "forbidden"]


class Preview(Model, frozen=True, kw_only=True):
    """What would happen to a request, before it is made.

    `verdict` is `fits` (inside quota, with the place), `borrows` (starts too, and can be
    reclaimed), `reclaims` (starts once others have given back), `waits` (with the reason, the
    place in its project's line and, where there are such, the nearest share that would start now
    and when enough is `expected` to be free, because others may not live longer)
    or `forbidden` (with the rule, or with the broken fields in `problems`).
    """

    verdict: Open[PreviewVerdict]
    message: str
    reason: Reason | None = None
    placement: Placement | None = None
    isolation: Isolation | None = None
    place_in_line: int = 0
    nearest: Share | None = None
    expected: datetime | None = None
    problems: tuple[FieldProblem, ...] = ()
