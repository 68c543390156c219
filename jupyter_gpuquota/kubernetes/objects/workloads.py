"""The workloads of sessions: StatefulSets, and Jobs for trainings."""

from __future__ import annotations

from .meta import Condition, Object, Record


class StatefulSetSpec(Record, frozen=True, kw_only=True):
    """How many pods a StatefulSet is to have."""

    replicas: int = 1


class StatefulSetStatus(Record, frozen=True, kw_only=True):
    """How many pods a StatefulSet has."""

    replicas: int = 0
    ready_replicas: int = 0
    observed_generation: int = 0


class StatefulSet(Object, frozen=True, kw_only=True):
    """A StatefulSet (`apps/v1`)."""

    spec: StatefulSetSpec = StatefulSetSpec()
    status: StatefulSetStatus = StatefulSetStatus()


class JobSpec(Record, frozen=True, kw_only=True):
    """Whether a Job is to run."""

    suspend: bool = False


class JobStatus(Record, frozen=True, kw_only=True):
    """How far a Job is."""

    active: int = 0
    ready: int = 0
    succeeded: int = 0
    failed: int = 0
    conditions: tuple[Condition, ...] = ()


class Job(Object, frozen=True, kw_only=True):
    """A Job (`batch/v1`)."""

    spec: JobSpec = JobSpec()
    status: JobStatus = JobStatus()


Workload = StatefulSet | Job
"""The workload of a session."""
