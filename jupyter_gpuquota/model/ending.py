"""How a session ends: open pages save first, then its process exits."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

import msgspec

from .struct import Model, Open, Request

Saved = Literal["asked", "saved", "unsaved", "unknown", "closed"]
PageState = Literal["open", "saved", "unsaved", "closed"]


class Ending(Model, frozen=True, kw_only=True):
    """The state of a session's open documents before its processes are signalled.

    They are signalled at `by` at the latest, and were at `signalled`. Until then the session's
    pages are served, so that they can save. `saved` is `asked` until all pages have answered, then
    `saved` or `unsaved`, with the number of documents that could not be saved. It is `unknown` if
    the session was in use and a page did not answer, `closed` if no page was open. `last_save` is
    the last observed save of a document.
    """

    by: datetime
    signalled: datetime | None = None
    saved: Open[Saved] = "asked"
    unsaved: int = 0
    last_save: datetime | None = None


class EndRequest(Request, frozen=True, kw_only=True):
    """Request to stop or suspend a session; the owner sees the `reason` and who gave it."""

    reason: str = ""


class PageReport(Request, frozen=True, kw_only=True):
    """The report of a session's page, when it opens and every half minute.

    `saved` and `unsaved` answer a session that is ending: all documents are saved, or `unsaved` of
    them could not be. `closed`: the page closes. With `give_back` its user releases the GPUs at
    once instead of waiting for the rest of the time.
    """

    state: PageState
    unsaved: Annotated[int, msgspec.Meta(ge=0)] = 0
    give_back: bool = False


class Exit(Model, frozen=True, kw_only=True):
    """How a session's process ended.

    `code` is None if it is unknown; `signal` is what ended it. `last_lines` are those of the log.
    """

    code: int | None
    at: datetime
    signal: str = ""
    last_lines: tuple[str, ...] = ()
