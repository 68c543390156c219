"""What sessions have used of the memory of their GPUs, asked of a Prometheus when it is wanted."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import partial

from ...model.resources import Usage
from ...model.sessions import Session
from ..session_pods import PodOf
from . import peak
from .prometheus import Prometheus


class Sizing:
    """Measures running sessions, for recommendations; without a Prometheus none is measured."""

    def __init__(self, pod_of: PodOf, prometheus: Prometheus | None) -> None:
        self._pod_of = pod_of
        self._prometheus = prometheus

    async def usage(self, session: Session) -> Usage | None:
        """Return what a session has used since it started, None where that is not known."""
        pod, share = self._pod_of(session), session.spec.share
        if self._prometheus is None or pod is None or session.started is None:
            return session.usage
        if not share.wants_gpu or session.spec.processes > 1:
            return session.usage
        now = datetime.now(UTC)
        ran = int((now - session.started).total_seconds())
        query = peak.query(pod.metadata.namespace, pod.metadata.name, share, ran)
        found = await self._prometheus.asked(query, partial(peak.read, share=share))
        if found is None:
            return session.usage
        since = max(session.started, now - timedelta(seconds=found.seconds))
        return Usage(at=now, peak=found.memory, since=since)
