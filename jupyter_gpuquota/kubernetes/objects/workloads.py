"""The workloads of sessions: StatefulSets, and for trainings Jobs, MPIJobs or TrainJobs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import msgspec

from .meta import Condition, Object, Record


class TrainingRuntime(Object, frozen=True, kw_only=True):
    """A ClusterTrainingRuntime (`trainer.kubeflow.org/v1alpha1`), whose template is compared."""

    spec: Mapping[str, Any] = msgspec.field(default_factory=dict)


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

    runs_once: ClassVar[bool] = False
    """Whether it never has a pod again once its pods have ended."""
    starting: ClassVar[Mapping[str, Any]] = {"replicas": 1}
    """The change of `spec` that lets it have its pods."""

    @property
    def is_up(self) -> bool:
        """Whether it is to have a pod."""
        return self.spec.replicas > 0

    @property
    def is_finished(self) -> bool:
        """Whether it never has a pod again."""
        return False


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

    runs_once: ClassVar[bool] = True
    starting: ClassVar[Mapping[str, Any]] = {"suspend": False}
    ends: ClassVar[tuple[str, ...]] = ("Complete", "Failed", "FailureTarget")

    @property
    def is_up(self) -> bool:
        """Whether it is to have pods."""
        return not self.spec.suspend

    @property
    def is_finished(self) -> bool:
        """Whether it has ended."""
        return _holds(self.status.conditions, *self.ends)


class MpiJobSpec(Record, frozen=True, kw_only=True):
    """Whether an MPIJob is to run."""

    run_policy: JobSpec = JobSpec()


class MpiJobStatus(Record, frozen=True, kw_only=True):
    """How far an MPIJob is."""

    conditions: tuple[Condition, ...] = ()


class MpiJob(Object, frozen=True, kw_only=True):
    """An MPIJob (`kubeflow.org/v2beta1`): workers, and the Job of a launcher."""

    spec: MpiJobSpec = MpiJobSpec()
    status: MpiJobStatus = MpiJobStatus()

    runs_once: ClassVar[bool] = True
    starting: ClassVar[Mapping[str, Any]] = {"runPolicy": {"suspend": False}}

    @property
    def is_up(self) -> bool:
        """Whether it is to have pods."""
        return not self.spec.run_policy.suspend

    @property
    def is_finished(self) -> bool:
        """Whether it has ended."""
        return _holds(self.status.conditions, "Succeeded", "Failed")


class TrainJob(Job, frozen=True, kw_only=True):
    """A TrainJob (`trainer.kubeflow.org/v1alpha1`): a JobSet with an Indexed Job."""

    ends: ClassVar[tuple[str, ...]] = ("Complete", "Failed")


def _holds(conditions: tuple[Condition, ...], *types: str) -> bool:
    return any(each.status == "True" and each.type in types for each in conditions)


Workload = StatefulSet | Job | MpiJob | TrainJob
"""The workload of a session."""
