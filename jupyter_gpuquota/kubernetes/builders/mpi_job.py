"""An MPIJob: a launcher that runs the command, and workers that it reaches by SSH.

Its operator adds keys, a list of the workers and their Service.
"""

from __future__ import annotations

from dataclasses import replace as changed
from typing import Any

from msgspec.structs import replace

from ...model.sessions import Session
from ..shares.provider import PodPatch
from .defaults import Parts
from .pod import pod_template, share_tolerations

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
