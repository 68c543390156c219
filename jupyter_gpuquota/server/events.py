"""Turn changes of the backend into events on Jupyter's bus."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlencode

import msgspec

from ..api.dispatch import Asked, Dispatcher
from ..errors import GpuQuotaError, Unavailable
from ..model.about import Change, Revisions
from ..model.routes import route

SCHEMA_ID = "https://jupyter-gpuquota.github.io/jupyter_gpuquota/changed/v1"
SCHEMA = Path(__file__).resolve().parents[1] / "event_schemas" / "changed" / "v1.yaml"

_BREATH = 0.2
"""Seconds between two questions: many changes in a row make one event."""

_PAUSES = (1.0, 2.0, 5.0, 10.0, 30.0)
_POLL = 25

Emit = Callable[[Change], None]

log = logging.getLogger(__name__)


async def watch(dispatcher: Dispatcher, emit: Emit) -> None:
    """Wait for changes for ever, and emit one event for each noun that changed.

    While nobody answers it asks less and less often.
    """
    known = Revisions(instance="", latest=0, nouns={})
    failures = 0
    while True:
        try:
            found = await _wait(dispatcher, known)
        except GpuQuotaError as error:
            if not failures:
                log.warning("No news of sessions for now: %s", error)
            await asyncio.sleep(_PAUSES[min(failures, len(_PAUSES) - 1)])
            failures += 1
            continue
        failures = 0
        for change in changes(known, found):
            emit(change)
        known = found
        await asyncio.sleep(_BREATH)


def changes(known: Revisions, found: Revisions) -> list[Change]:
    """List the nouns that are at another revision, all of them for another instance."""
    before = known.nouns if known.instance == found.instance else {}
    return [
        Change(noun=noun, revision=revision, instance=found.instance)
        for noun, revision in found.nouns.items()
        if before.get(noun) != revision
    ]


async def _wait(dispatcher: Dispatcher, known: Revisions) -> Revisions:
    query = {"instance": known.instance, "since": known.latest, "timeout": _POLL}
    asked = Asked(route=route("changes.wait"), query=urlencode(query))
    answer = await dispatcher.dispatch(asked)
    if answer.status != 200:
        raise Unavailable(f"The controller answered {answer.status}.")
    return msgspec.json.decode(answer.body, type=Revisions)
