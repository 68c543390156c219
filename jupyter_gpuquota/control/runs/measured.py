"""Runs with the GPU utilisation that was measured of their session while they lasted."""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime
from importlib import resources
from time import monotonic
from typing import Any, TypeVar

import msgspec
from msgspec.structs import replace

from ...core import tracking
from ...errors import GpuQuotaError, StorageFailed
from ...model.programs import ExecRequest
from ...model.snapshots.runs import Run, RunList
from ...model.struct import Model
from ...ports.charge import NotInCharge
from ...ports.runs import Runs
from ...ports.sessions import Exec
from ..recorder import Span

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


LIMIT = 50
"""The most runs of a session that are read."""
PATIENCE = 45
"""Seconds that the script may take."""
_FRESH = 5.0
"""Seconds in which an answer is given again: several pages may show the same session."""

T = TypeVar("T", bound=Model)

Ask = Callable[[str, tuple[str, ...]], Awaitable[str]]
"""Runs a Python script in a session by its id and the arguments, and returns what it prints.

Raises GpuQuotaError.
"""


class _Answer(Model, frozen=True, kw_only=True):
    problem: str = ""


class ScriptRuns:
    """The runs of sessions, as the script `mlflow_script` finds them."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._script = resources.files(__package__).joinpath("mlflow_script.py").read_text("utf-8")
        self._known: dict[str, tuple[float, RunList]] = {}

    async def of(self, session_id: str) -> RunList:
        """Return the newest runs of a session, without secrets. Raises NotFound."""
        now = monotonic()
        self._known = {name: each for name, each in self._known.items() if now - each[0] < _FRESH}
        if session_id not in self._known:
            answer = await self._answer(session_id, {"session": session_id, "limit": LIMIT})
            self._known[session_id] = (now, tracking.redacted(_decoded(answer, RunList)))
        return self._known[session_id][1]

    async def tag(self, session_id: str, run: str, tags: Mapping[str, str]) -> str:
        """Set tags of a run; return why that failed, empty if it has not. Raises NotFound."""
        answer = await self._answer(session_id, {"run": run, "tags": dict(tags)})
        self._known.pop(session_id, None)
        return _decoded(answer, _Answer).problem

    async def _answer(self, session_id: str, asked: Mapping[str, Any]) -> str:
        try:
            return await self._ask(session_id, ("-I", "-c", self._script, json.dumps(asked)))
        except NotInCharge:
            raise
        except GpuQuotaError as error:
            return json.dumps({"problem": error.message})


def in_session(programs: Exec | None) -> Ask:
    """Return what runs the script inside of running sessions."""

    async def ask(session_id: str, words: tuple[str, ...]) -> str:
        if programs is None:
            return "{}"
        request = ExecRequest(command=("python3", *words), timeout=PATIENCE)
        return (await programs.execute(session_id, request)).output

    return ask


def _decoded(answer: str, kind: type[T]) -> T:
    """Return what the script has said; whatever else was printed precedes it."""
    try:
        return msgspec.json.decode(answer[answer.find("{") :].encode(), type=kind)
    except msgspec.DecodeError:
        problem = answer.strip()[-200:] or "There was no answer"
        return msgspec.convert({"problem": f"Runs cannot be read: {problem}."}, kind)
