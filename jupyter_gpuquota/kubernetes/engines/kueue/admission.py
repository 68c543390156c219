"""What the conditions of a session's Workload say. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime

from msgspec.structs import replace

from ....core.names import mention
from ....model.messages.build import reason
from ....model.messages.formats import sessions_arg
from ....model.previews import QueuePosition
from ....model.reasons import Reason
from ....model.sessions import Reclaim, Session
from ...labels import PREFIX, object_name
from ...objects.meta import Condition
from ..engine import Admission
from .forecast import Projects, Wanted, forecast, why_queued
from .objects import Workload, condition, holds_true
from .state import KueueState, is_queued

_PREEMPTOR = re.compile(r"UID: (?P<uid>[0-9a-f-]+)", re.ASCII)
_PATH = re.compile(r"preemptor path: \S*/(?P<queue>[^/;\s]+)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Reader:
    """Kueue's state with the sessions, which its workloads are matched with."""

    state: KueueState
    projects: Projects
    sessions: Callable[[], Iterable[Session]]

    def admission(self, session: Session, wanted: Wanted) -> Admission:
        """Return what Kueue says about a session; nothing while it has not seen it."""
        workload = self.workload_of(session)
        if workload is None:  # one without GPUs need not be queued at all
            return Admission(admitted=not wanted.milli)
        evicted = condition(workload.status.conditions, "Evicted")
        if evicted and evicted.status == "True":
            reclaim, why = self._evicted(workload, session, evicted)
            return Admission(
                admitted=False,
                queue=self._queued(workload, session, wanted),
                reclaim=reclaim,
                reason=why,
            )
        if holds_true(workload.status.conditions, "Admitted"):
            return Admission()
        return Admission(admitted=False, queue=self._queued(workload, session, wanted))

    def workload_of(self, session: Session) -> Workload | None:
        """Return the Workload of a session."""
        return self.state.by_owner.get((session.spec.project, object_name(session)))

    def _queued(self, workload: Workload, session: Session, wanted: Wanted) -> QueuePosition | None:
        if not is_queued(workload):
            return None
        return QueuePosition(
            session=session.id,
            reason=self.why(workload, wanted),
            position=self.state.positions.get(workload.metadata.uid, 0),
        )

    def why(self, workload: Workload, wanted: Wanted) -> Reason | None:
        """Return why a workload is queued, None if it should be admitted at once.

        Kueue does not look at a workload like another one that it has found inadmissible, and
        tells nothing about it: then the numbers tell.
        """
        reserved = condition(workload.status.conditions, "QuotaReserved")
        raw = reserved.message if reserved else ""
        project, name = workload.metadata.namespace, workload.spec.queue_name
        if reserved is None and wanted.project in self.projects:
            outcome = forecast(wanted, self.projects)
            return None if outcome.verdict in {"fits", "borrows"} else outcome.reason
        if victims := self._releasing(workload):
            names = mentioned(victims, project)
            return reason("BeingReclaimed", "reclaim.releasing", raw=raw, sessions=names)
        if reserved and reserved.reason == "Inadmissible":
            key = "queue.missing" if "doesn't exist" in raw else "queue.inactive"
            return reason("QueueMissing", key, raw=raw, queue=name, project=project)
        counted = wanted.milli and wanted.project in self.projects
        if not counted or "unavailable in ClusterQueue" in raw:
            return reason("QueueMissing", "queue.refuses", raw=raw, queue=name, project=project)
        found = why_queued(wanted, self.projects)
        return replace(found, raw=raw)

    def _releasing(self, preemptor: Workload) -> list[Workload]:
        """Return the workloads that still hold GPUs which are taken for another one."""
        return [
            w
            for w in self.state.leaving
            if (told := condition(w.status.conditions, "Preempted"))
            and _uid(told.message) == preemptor.metadata.uid
        ]

    def _evicted(
        self, workload: Workload, session: Session, evicted: Condition
    ) -> tuple[Reclaim | None, Reason | None]:
        """Return for whom a workload was preempted, and why; nothing for other evictions."""
        told = condition(workload.status.conditions, "Preempted")
        if told is None or told.status != "True":
            why = reason("Evicted", "queue.evicted", raw=evicted.message)
            return None, why
        project, name, found = self._preemptor(told.message)
        at = told.last_transition_time or datetime.now(UTC)
        reclaim = Reclaim(at=at, session=found.id if found else "", name=name, project=project)
        who = mention([found], session.spec.project) if found else f"{project}/1"
        own = session.spec.project
        if told.reason == "InClusterQueue" or project == own:
            return reclaim, reason("Reclaimed", "reclaim.priority", raw=told.message, session=who)
        why = reason("Reclaimed", "reclaim.borrowed", raw=told.message, session=who, project=own)
        return reclaim, why

    def _preemptor(self, text: str) -> tuple[str, str, Session | None]:
        """Return project and name of the one who preempts, and its session if it is one."""
        if workload := self.state.by_uid.get(_uid(text)):
            project, name = workload.metadata.namespace, workload.owner_name
            found = (
                s for s in self.sessions() if (s.spec.project, object_name(s)) == (project, name)
            )
            return project, name.removeprefix(PREFIX), next(found, None)
        path = _PATH.search(text)
        behind = path["queue"] if path else ""
        owners = (name for name, each in self.projects.items() if behind in each.cluster_queues)
        return next(owners, behind), "", None


def mentioned(workloads: Iterable[Workload], project: str) -> str:
    """Return workloads as an argument of a message that a project's members may read.

    Those of other projects are counted, not named.
    """
    found = tuple(workloads)
    own = [w.owner_name.removeprefix(PREFIX) for w in found if w.metadata.namespace == project]
    others = Counter(w.metadata.namespace for w in found if w.metadata.namespace != project)
    return sessions_arg(own, others)


def _uid(text: str) -> str:
    """Return the uid of the workload that a message says was the preemptor."""
    found = _PREEMPTOR.search(text)
    return found["uid"] if found else ""
