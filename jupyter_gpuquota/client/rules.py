"""Operations on what holds for all projects: see, set, and try out."""

from __future__ import annotations

from typing import TypedDict, Unpack

import msgspec

from ..model.base import Number
from ..model.projects import ChangePreview, RulesRequest, SettingsChange
from ..model.quota import Rules
from .context import Context
from .steps import Operation, ask


class Settings(TypedDict, total=False):
    """Name what may be set, as in `RulesRequest`."""

    grace: Number
    min_runtime: Number
    consolidate: bool


def get(context: Context) -> Operation[Rules]:
    """Show what holds for all projects."""
    found: Rules = yield from ask("rules.get")
    return found


def put(context: Context, **settings: Unpack[Settings]) -> Operation[Rules]:
    """Change what holds for all projects: what is not named stays as it is.

    Raises InvalidFields, NotAllowed, and Outdated if somebody else was quicker.
    """
    request = yield from _request(context, settings)
    found: Rules = yield from ask("rules.put", body=request)
    return found


def preview(context: Context, **settings: Unpack[Settings]) -> Operation[ChangePreview]:
    """Say what the same `put` would do now; nothing changes. Raises InvalidFields, NotAllowed."""
    change = SettingsChange(rules=(yield from _request(context, settings)))
    answer: ChangePreview = yield from ask("settings.preview", body=change)
    return answer


def _request(context: Context, settings: Settings) -> Operation[RulesRequest]:
    old = yield from get(context)
    present = RulesRequest(
        grace=old.grace,
        min_runtime=old.min_runtime,
        consolidate=old.consolidate,
        revision=old.revision,
    )
    return msgspec.structs.replace(present, **settings)
