"""What would happen to a request, and to a session that is queued."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from .clusters.fallback import PlacePreview
from .datasets.mounts import MountPreview
from .reasons import Reason
from .resources import Isolation, Placement, Share
from .sessions import Kind
from .struct import ADDED, FieldProblem, Message, Model, Open

PreviewVerdict = Literal["fits", "borrows", "reclaims", "waits", "forbidden"]


class Preview(Model, frozen=True, kw_only=True):
    """What would happen to a request, before it is made.

    `verdict` is `fits` (in quota, with the placement), `borrows` (starts, and can be reclaimed),
    `reclaims` (starts once others have released GPUs), `waits` (with the reason, the position in
    its project's queue and, if they exist, the nearest share that would start now and when enough
    is `expected` to be free, because the run time of others is over) or `forbidden` (with the rule,
    or with the invalid fields in `problems`). `nearest_kind` is another kind of session that would
    start now with the requested share. `sentences` are those of `message`, with their keys.
    `preempts` are the ids of the sessions that would lose their GPUs, as far as the caller sees
    them. `data` says which versions of datasets are cached already, and which are fetched first.
    `places` are those of a request with several, the first of which the rest is about.
    """

    verdict: Open[PreviewVerdict]
    message: str
    sentences: Annotated[tuple[Message, ...], ADDED] = ()
    reason: Reason | None = None
    placement: Placement | None = None
    isolation: Isolation | None = None
    queue_position: int = 0
    nearest: Share | None = None
    nearest_kind: Annotated[Open[Kind] | None, ADDED] = None
    expected: datetime | None = None
    problems: tuple[FieldProblem, ...] = ()
    data: Annotated[tuple[MountPreview, ...], ADDED] = ()
    preempts: Annotated[tuple[str, ...], ADDED] = ()
    places: Annotated[tuple[PlacePreview, ...], ADDED] = ()


class QueuePosition(Model, frozen=True, kw_only=True):
    """Why a session is queued, and its position in its project's queue; 0 if unknown.

    `expected` is when it should start, None if unknown.
    """

    session: str
    reason: Reason | None = None
    position: int = 0
    expected: datetime | None = None
