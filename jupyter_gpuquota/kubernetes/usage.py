"""The ports of sessions, usage and planning."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial

import msgspec
from msgspec.structs import replace

from ..control.board import Board, BoardUsage
from ..control.ending.open_pages import OpenPages
from ..control.new_session import new_session
from ..core import lifecycle, names
from ..core.scheduling.undivided import is_undivided, plain_preview, plain_reason
from ..core.usage.quota import departments_with_use
from ..errors import Unsupported
from ..model.ending import PageReport
from ..model.messages.build import joined
from ..model.previews import Preview, QueuePosition
from ..model.projects import ChangePreview
from ..model.quota import Project, ProjectUse, Quota
from ..model.reasons import Reason
from ..model.resources import Isolation, Share
from ..model.sessions import LIVE, Goal, Session, SessionSpec
from ..model.struct import Message
from ..model.volumes.mounts import Mount
from .engines.engine import Engine
from .faults import translated
from .reconcile.reconciler import Change, Reconciler


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


class ClusterSessions:
    """Creates, stops, resumes and deletes sessions; what a user asks for is written first."""

    def __init__(self, board: Board, reconciler: Reconciler, pages: OpenPages) -> None:
        self._board = board
        self._reconciler = reconciler
        self._pages = pages

    def all(self) -> tuple[Session, ...]:
        """Return all sessions, oldest first."""
        return self._board.sessions

    async def create(self, spec: SessionSpec, owner: str, session_id: str = "") -> Session:
        """Accept a validated request.

        Raises NameTaken, InvalidFields, NotAllowed, Unavailable; the other methods, too, raise the
        last two.
        """
        if known := self._board.by_id.get(session_id):
            return known
        names.check_free(spec, self._board.sessions)
        session = new_session(spec, owner, datetime.now(UTC), session_id)
        with translated():
            return await self._reconciler.create(session)

    async def stop(self, session_id: str, why: Reason | None = None) -> Session:
        """Begin to stop a session. Raises NotFound, WrongState."""
        return await self._end(session_id, "stop", why)

    async def suspend(self, session_id: str, why: Reason | None = None) -> Session:
        """Begin to stop a session, keeping its request. Raises NotFound, WrongState."""
        return await self._end(session_id, "suspend", why)

    async def resume(self, session_id: str, base_url: str = "") -> Session:
        """Put a session back into the queue. Raises NotFound, WrongState."""

        def again(session: Session) -> Session:
            queued = lifecycle.request_resume(session, datetime.now(UTC))
            spec = msgspec.structs.replace(queued.spec, base_url=base_url or queued.spec.base_url)
            return msgspec.structs.replace(queued, spec=spec)

        return await self._change(session_id, again)

    async def resize(self, session_id: str, share: Share, added: Sequence[Mount] = ()) -> Session:
        """Queue a session with another share, and more volumes. Raises NotFound, WrongState."""
        change = partial(lifecycle.request_resize, share=share, now=datetime.now(UTC), added=added)
        return await self._change(session_id, change)

    async def delete(self, session_id: str) -> None:
        """Delete a session and its objects. Raises NotFound, WrongState."""
        with translated():
            await self._reconciler.delete(session_id, lifecycle.check_deletable)

    async def withdraw(self, session_id: str) -> bool:
        """Delete a session that has never had a pod on a node. Raises NotFound."""
        with translated():
            return await self._reconciler.withdraw(session_id)

    async def put_page(self, session_id: str, page: str, report: PageReport) -> None:
        """Record the report of a session's browser page. Raises NotFound."""
        session = self._board.find(session_id)
        if session.state in LIVE:
            self._pages.put(session, page, report)
        if session.is_saving:
            self._reconciler.wake(session_id)

    async def _end(self, session_id: str, goal: Goal, why: Reason | None) -> Session:
        change = partial(lifecycle.request_end, goal=goal, now=datetime.now(UTC), why=why)
        return await self._change(session_id, change)

    async def _change(self, session_id: str, change: Change) -> Session:
        with translated():
            return await self._reconciler.change(session_id, change)


class ClusterUsage(BoardUsage):
    """The GPUs held on a cluster.

    Engines count all pods of a namespace against its quota, so that a project also holds what its
    other workloads hold. No user is charged with these.
    """

    def quota(self) -> Quota:
        """Return what every project has, uses and requests."""
        found = super().quota()
        others: Counter[str] = Counter()
        for holding in self.holdings():
            others[holding.name.partition("/")[0]] += holding.placement.milli
        projects = tuple(_with_others(use, others[use.name]) for use in found.projects)
        departments = departments_with_use(self._board.settings.departments, projects)
        return replace(found, projects=projects, departments=departments)


def _with_others(use: ProjectUse, milli: int) -> ProjectUse:
    """Return the use of a project with what its other workloads hold."""
    held = use.allocated + milli
    return replace(
        use,
        allocated=held,
        over=max(0, held - use.quota),
        requested=use.requested + milli,
    )
