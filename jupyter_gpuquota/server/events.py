"""Turn changes of the backend into events on Jupyter's bus."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
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

PAUSES = (1.0, 2.0, 5.0, 10.0, 30.0)
"""Seconds after the first failure in a row, the second, and so on."""

_POLL = 25

Emit = Callable[[Change], None]

log = logging.getLogger(__name__)


async def watch(dispatcher: Dispatcher, emit: Emit, pauses: Sequence[float] = PAUSES) -> None:
    """Wait for changes forever, and emit one event for each noun that changed.

    It outlives every fault, a bug of ours included: a fault is logged and what has changed is
    asked again, less and less often.
    """
    known = Revisions(instance="", latest="", nouns={})
    trouble = Trouble(pauses)
    while True:
        try:
            found = await _wait(dispatcher, known)
            for change in changes(known, found):
                emit(change)
        except Exception as error:  # noqa: BLE001 (no fault may end the events of all pages)
            trouble.note(error)
        else:
            trouble.end()
            known = found
        await asyncio.sleep(trouble.pause)


class Trouble:
    """A row of failures without a success between them; each kind of error is logged once."""

    def __init__(self, pauses: Sequence[float]) -> None:
        self._pauses = pauses
        self._failures = 0
        self._logged: set[type[Exception]] = set()

    @property
    def pause(self) -> float:
        """Return the seconds to wait before the next attempt."""
        if not self._failures:
            return _BREATH
        return self._pauses[min(self._failures, len(self._pauses)) - 1]

    def note(self, error: Exception) -> None:
        """Count a failure, and log it unless its kind is known; faults of ours with a traceback."""
        self._failures += 1
        if type(error) in self._logged:
            return
        self._logged.add(type(error))
        if isinstance(error, GpuQuotaError):
            log.warning("No news of sessions for now: %s", error)
        else:
            log.error("No news of sessions for now, by a fault of ours", exc_info=error)

    def end(self) -> None:
        """Note a success; the next failure is logged again."""
        if self._failures:
            log.info("News of sessions again, after %d failures", self._failures)
        self._failures = 0
        self._logged.clear()


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
