"""The planning port: the engine says what would happen."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime

from msgspec.structs import replace

from ..control.board import Board
from ..core.scheduling.undivided import is_undivided, plain_preview, plain_reason
from ..errors import Unsupported
from ..model.messages.build import joined
from ..model.previews import Preview, QueuePosition
from ..model.projects import ChangePreview
from ..model.quota import Project
from ..model.resources import Isolation
from ..model.sessions import SessionSpec
from ..model.struct import Message
from .engines.engine import Engine
from .faults import translated


class EnginePlanning:
    """Forecasts of a cluster's engine.

    `isolation` returns what would isolate a request, `ties` where it runs for its volumes' sake,
    `workload` what its workload lacks.
    """

    def __init__(
        self,
        engine: Engine,
        board: Board,
        isolation: Callable[[SessionSpec], Isolation | None],
        ties: Callable[[SessionSpec, str], Sequence[Message]],
        workload: Callable[[SessionSpec, str], Awaitable[Sequence[Message]]],
    ) -> None:
        self._engine = engine
        self._board = board
        self._isolation = isolation
        self._ties = ties
        self._workload = workload

    async def preview(self, spec: SessionSpec, owner: str) -> Preview:
        """Return what would happen to a validated request of a user. Raises Unavailable."""
        with translated():
            found = await self._engine.preview(spec)
        found = plain_preview(found) if self._is_undivided() else found
        found = replace(found, isolation=self._isolation(spec))
        more = (*self._ties(spec, owner), *await self._workload(spec, owner))
        said = (*found.sentences, *more)
        return replace(found, sentences=said, message=joined(*said)) if more else found

    async def position(self, session_id: str) -> QueuePosition:
        """Return why a session is queued, and its position. Raises NotFound, Unavailable."""
        session = self._board.find(session_id)
        with translated():
            found = await self._engine.position(session)
        if found.reason and self._is_undivided():
            return replace(found, reason=plain_reason(found.reason))
        return found

    def starts(self) -> Mapping[str, datetime]:
        """Return nothing: the engine does not say when it starts sessions."""
        return {}

    async def try_change(self, project: Project) -> ChangePreview:
        """Refuse: only the cluster's engine knows what other quotas would lead to."""
        raise Unsupported(
            "The effect of other quotas cannot be previewed on this cluster: its engine decides.",
            hint="Save the change, and look at the list of sessions.",
        )

    def _is_undivided(self) -> bool:
        return is_undivided(self._engine.projects(), self._board.nodes)
