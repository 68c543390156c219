"""The workload of a session: a StatefulSet, for a training a Job, MPIJob or TrainJob.

It is created without pods.

An MPIJob: a launcher that runs the command, and workers that it reaches by SSH.

Its operator adds keys, a list of the workers and their Service.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace as changed
from typing import Any

from msgspec.structs import replace

from ...model.sessions import Session
from ..labels import ATTACHED, object_name
from ..reconcile.kinds import plain_kind
from ..resources import JOBS, MPI_JOBS, STATEFUL_SETS, TRAIN_JOBS, Resource
from ..shares.provider import PodPatch
from ..state.attached import mark
from .defaults import Parts
from .metadata import labels_of, manifest, selector_of
from .pod import job, pod_template, share_tolerations
from .train_job import train_job

_SSH_PORT = 22
_LOW_PORTS = {"name": "net.ipv4.ip_unprivileged_port_start", "value": str(_SSH_PORT)}
"""Lets sshd listen without being root; allowed by the Pod Security Standard *restricted*."""


def mpi_job(session: Session, parts: Parts) -> dict[str, Any]:
    """Return an MPIJob that runs once: its launcher starts when all workers can be reached.

    Nothing is started again: what was evicted is made anew as a whole.
    """
    return {
        "slotsPerWorker": session.spec.share.count,
        "sshAuthMountPath": parts.defaults.mpi_ssh_path,
        "launcherCreationPolicy": "WaitForWorkersReady",
        "runPolicy": {"suspend": True, "cleanPodPolicy": "Running", "backoffLimit": 0},
        "mpiReplicaSpecs": {
            "Launcher": _replicas(1, _launcher(session, parts)),
            "Worker": _replicas(session.spec.processes, _worker(session, parts)),
        },
    }


def _replicas(count: int, template: dict[str, Any]) -> dict[str, Any]:
    return {"replicas": count, "restartPolicy": "Never", "template": template}


def _launcher(session: Session, parts: Parts) -> dict[str, Any]:
    """Return the template of the launcher: it holds no GPU, but may run on nodes with GPUs."""
    defaults = parts.defaults
    tolerated = (*defaults.tolerations, *share_tolerations(parts.share))
    without = changed(parts, share=PodPatch(), defaults=changed(defaults, tolerations=tolerated))
    return pod_template(_alone(session), without, "")


def _worker(session: Session, parts: Parts) -> dict[str, Any]:
    """Return the template of the workers: they run sshd, and `mpirun` starts processes in them."""
    alone = _alone(session)
    spec = replace(alone.spec, command=parts.defaults.mpi_sshd, args=())
    made = pod_template(replace(alone, spec=spec), parts, "")
    pod = made["spec"]
    [container] = pod["containers"]
    pod["securityContext"]["sysctls"] = [_LOW_PORTS]
    container["securityContext"]["capabilities"]["add"] = ["NET_BIND_SERVICE"]
    container["ports"] = [{"name": "ssh", "containerPort": _SSH_PORT}]
    container["readinessProbe"] = {"tcpSocket": {"port": _SSH_PORT}, "periodSeconds": 2}
    return made


def _alone(session: Session) -> Session:
    """Return a session whose pods are not told of each other: the operator does this."""
    return replace(session, spec=replace(session.spec, processes=1))


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
