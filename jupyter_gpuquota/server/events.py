"""Publish changes of the backend as events on Jupyter's event bus."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from urllib.parse import urlencode

import msgspec

from ..api.dispatch import ApiRequest, Dispatcher
from ..errors import GpuQuotaError, LaunchedElsewhere, Unavailable
from ..model.about import Change, Revisions
from ..model.routes.table import route

SCHEMA_ID = "https://jupyter-gpuquota.github.io/jupyter_gpuquota/changed/v1"
SCHEMA = Path(__file__).resolve().parents[1] / "event_schemas" / "changed" / "v1.yaml"

_INTERVAL = 0.2
"""Seconds between two requests, so that a burst of changes becomes one event."""

PAUSES = (1.0, 2.0, 5.0, 10.0, 30.0)
"""Seconds to wait after the first consecutive failure, the second, and so on."""

_POLL = 25

Emit = Callable[[Change], None]

log = logging.getLogger(__name__)


async def watch(dispatcher: Dispatcher, emit: Emit, pauses: Sequence[float] = PAUSES) -> None:
    """Wait for changes forever and emit one event for each changed noun.

    Errors, bugs included, are logged and retried with growing delays.
    """
    known = Revisions(instance="", latest="", nouns={})
    backoff = Backoff(pauses)
    while True:
        try:
            found = await _wait(dispatcher, known)
            for change in changes(known, found):
                emit(change)
        except Exception as error:  # noqa: BLE001 (no error may end the events of all pages)
            backoff.failed(error)
        else:
            backoff.succeeded()
            known = found
        await asyncio.sleep(backoff.delay)


class Backoff:
    """The delays after consecutive failures; each kind of error is logged once."""

    def __init__(self, pauses: Sequence[float]) -> None:
        self._pauses = pauses
        self._failures = 0
        self._logged: set[type[Exception]] = set()

    @property
    def delay(self) -> float:
        """Seconds to wait before the next attempt."""
        if not self._failures:
            return _INTERVAL
        return self._pauses[min(self._failures, len(self._pauses)) - 1]

    def failed(self, error: Exception) -> None:
        """Count a failure and log it if its type is new; bugs are logged with a traceback."""
        self._failures += 1
        if type(error) in self._logged:
            return
        self._logged.add(type(error))
        if isinstance(error, LaunchedElsewhere):
            log.info("There are no session events: %s", error)
        elif isinstance(error, GpuQuotaError):
            log.warning("Session events are interrupted: %s", error)
        else:
            log.error("Session events are interrupted by a bug", exc_info=error)

    def succeeded(self) -> None:
        """Reset after a success; the next failure is logged again."""
        if self._failures:
            log.info("Session events are back after %d failures", self._failures)
        self._failures = 0
        self._logged.clear()


def changes(known: Revisions, found: Revisions) -> list[Change]:
    """Return the nouns whose revision changed; all of them if the instance changed."""
    before = known.nouns if known.instance == found.instance else {}
    return [
        Change(noun=noun, revision=revision, instance=found.instance)
        for noun, revision in found.nouns.items()
        if before.get(noun) != revision
    ]


async def _wait(dispatcher: Dispatcher, known: Revisions) -> Revisions:
    query = {"instance": known.instance, "since": known.latest, "timeout": _POLL}
    request = ApiRequest(route=route("changes.wait"), query=urlencode(query))
    response = await dispatcher.dispatch(request)
    if response.status != 200:
        raise Unavailable(f"The controller responded with HTTP {response.status}.")
    return msgspec.json.decode(response.body, type=Revisions)
