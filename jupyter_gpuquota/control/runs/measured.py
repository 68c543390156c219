"""Runs with the GPU utilisation that was measured of their session while they lasted."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime

from msgspec.structs import replace

from ...errors import StorageFailed
from ...model.snapshots.runs import Run, RunList
from ...ports.runs import Runs
from ...ports.sessions import Exec
from ..history.utilisation import Span
from .reading import ScriptRuns, in_session

_log = logging.getLogger(__name__)

Measure = Callable[[str, Sequence[Span]], Awaitable[list[float | None]]]
"""Returns the mean utilisation of a session in periods. Raises StorageFailed."""


class MeasuredRuns:
    """Runs of sessions; of those that logged no GPU utilisation, that of their session."""

    def __init__(self, runs: Runs, measure: Measure) -> None:
        self._runs = runs
        self._measure = measure

    async def of(self, session_id: str) -> RunList:
        """Return the newest runs of a session, without secrets. Raises NotFound, WrongState."""
        found = await self._runs.of(session_id)
        lacking = [each for each in found.items if each.gpu is None and each.begun]
        if not lacking:
            return found
        try:
            means = await self._measure(session_id, [_span(each) for each in lacking])
        except StorageFailed as error:
            _log.warning("%s", error)
            return found
        known = {each.id: mean for each, mean in zip(lacking, means, strict=True)}
        items = (replace(each, gpu=known.get(each.id, each.gpu)) for each in found.items)
        return replace(found, items=tuple(items))

    async def tag(self, session_id: str, run: str, tags: Mapping[str, str]) -> str:
        """Set tags of a run; return why that failed, empty if it has not. Raises NotFound."""
        return await self._runs.tag(session_id, run, tags)


def runs_inside(programs: Exec | None, measure: Measure) -> MeasuredRuns:
    """Return what reads runs inside of sessions, with what was measured of these."""
    return MeasuredRuns(ScriptRuns(in_session(programs)), measure)


def _span(run: Run) -> Span:
    begun, ended = run.begun or datetime.now(UTC), run.ended or datetime.now(UTC)
    return int(begun.timestamp()), int(ended.timestamp())
