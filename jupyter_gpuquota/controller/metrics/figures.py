"""What the metrics say of sessions and GPUs.

Labels are projects, states, routes and codes: administrators and this program choose them, so their
number is bounded, and no name of a person or of a session is among them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from prometheus_client.core import GaugeMetricFamily

from ...model.quota import ProjectUse, Quota
from ...model.resources import MILLI
from ...model.sessions import STATES, Session

_OF_PROJECTS = (
    ("gpuquota_gpus_quota", "GPUs guaranteed to a project", "quota"),
    ("gpuquota_gpus_allocated", "GPUs that a project's sessions hold", "allocated"),
    ("gpuquota_gpus_over_quota", "GPUs held above the quota of a project", "over"),
    ("gpuquota_gpus_requested", "GPUs that a project's sessions hold or wait for", "requested"),
    ("gpuquota_gpus_fair_share", "The fair share of a project", "fair"),
)
_OF_ALL = (
    ("gpuquota_gpus_capacity", "GPUs that can be used", "capacity"),
    ("gpuquota_gpus_free", "GPUs that nobody holds", "free"),
    ("gpuquota_gpus_others", "GPUs that other workloads hold", "others"),
)


def figures(
    quota: Quota, sessions: Sequence[Session], now: datetime
) -> Iterator[GaugeMetricFamily]:
    """Yield all gauges."""
    for name, text, field in _OF_ALL:
        yield GaugeMetricFamily(name, text, getattr(quota, field) / MILLI)
    for name, text, field in _OF_PROJECTS:
        yield _by_project(name, text, quota.projects, field)
    yield _states(quota.projects, sessions)
    yield _waiting(quota.projects, sessions, now)


def _by_project(
    name: str, text: str, projects: Iterable[ProjectUse], field: str
) -> GaugeMetricFamily:
    family = GaugeMetricFamily(name, text, labels=["project"])
    for project in projects:
        family.add_metric([project.name], getattr(project, field) / MILLI)
    return family


def _states(projects: Iterable[ProjectUse], sessions: Iterable[Session]) -> GaugeMetricFamily:
    """Return how many sessions there are, 0 for a state without any: alerts can rely on it."""
    family = GaugeMetricFamily(
        "gpuquota_sessions", "Sessions of a project by state", labels=["project", "state"]
    )
    counts = Counter((session.spec.project, session.state) for session in sessions)
    for name in sorted({each.name for each in projects} | {name for name, _ in counts}):
        for state in STATES:
            family.add_metric([name, state], counts[name, state])
    return family


def _waiting(
    projects: Iterable[ProjectUse], sessions: Iterable[Session], now: datetime
) -> GaugeMetricFamily:
    family = GaugeMetricFamily(
        "gpuquota_queue_oldest_seconds",
        "How long the session has waited that has waited longest, 0 if none does",
        labels=["project"],
    )
    oldest = {each.name: 0.0 for each in projects}
    for session in sessions:
        if session.state == "waiting":
            waited = max(0.0, (now - session.since).total_seconds())
            name = session.spec.project
            oldest[name] = max(oldest.get(name, 0.0), waited)
    for name, seconds in sorted(oldest.items()):
        family.add_metric([name], seconds)
    return family
