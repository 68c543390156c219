"""The workload of a session: a StatefulSet, for a training a Job, MPIJob or TrainJob.

It is created without pods.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ...model.sessions import Session
from ..labels import ATTACHED
from ..names import object_name
from ..reconcile.kinds import plain_kind
from ..resources import JOBS, MPI_JOBS, STATEFUL_SETS, TRAIN_JOBS, Resource
from ..state.attached import mark
from .defaults import Parts
from .job import job
from .metadata import labels_of, manifest, selector_of
from .mpi_job import mpi_job
from .pod import pod_template
from .train_job import train_job


def workload(session: Session, parts: Parts, kind: Resource[Any] | None = None) -> dict[str, Any]:
    """Return the workload of a session, without pods, and out of the engine's reach.

    Without a `kind` it is one that every cluster has. `released_labels` are those with which it may
    start.
    """
    kind = kind or plain_kind(session.spec)
    made = manifest(kind, session, spec=_SPECS[kind.plural](session, parts))
    held = parts.engine.held if session.spec.data and session.spec.kind == "train" else {}
    made["metadata"]["labels"] = {**released_labels(session, parts), **held}
    tied = {ATTACHED: mark(parts.attached)} if parts.attached else {}
    if annotations := {**parts.engine.annotations, **tied}:
        made["metadata"]["annotations"] = annotations
    return made


def released_labels(session: Session, parts: Parts) -> dict[str, str]:
    """Return the labels of a workload whose data is there."""
    return labels_of(session, parts.engine.labels)


def _stateful_set(session: Session, parts: Parts) -> dict[str, Any]:
    return {
        "replicas": 0,
        "serviceName": object_name(session),
        "selector": {"matchLabels": selector_of(session)},
        "template": pod_template(session, parts, "Always"),
    }


_SPECS: Mapping[str, Callable[[Session, Parts], dict[str, Any]]] = {
    STATEFUL_SETS.plural: _stateful_set,
    JOBS.plural: job,
    MPI_JOBS.plural: mpi_job,
    TRAIN_JOBS.plural: train_job,
}
