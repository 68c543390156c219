"""Labels, annotations and names of objects in a cluster."""

from __future__ import annotations

from collections.abc import Mapping

from ..model.sessions import Session

PREFIX = "gpu-"
"""What the names of all objects of sessions begin with."""
NAME_LIMIT = 48
"""Longest name of a session: pods of a StatefulSet have a label with the name of the workload, a
hyphen and ten characters, of at most 63 (https://github.com/kubernetes/kubernetes/issues/64023)."""
TOKEN_KEY = "token"  # noqa: S105 (the name of a key)
"""The key of a session's Secret with the token of its Jupyter Server."""
OWNER_TOKEN_KEY = "owner-token"  # noqa: S105 (the same)
"""The key with what the session's programs send to the controller."""
CA_KEY = "controller-ca.pem"
"""The key with what verifies the controller's certificate."""
JUPYTER_PORT = 8888
"""The port of a session's Jupyter Server, in its pod and its Service."""

PREFIXES: Mapping[str, str] = {"kubernetes": "", "jupyterhub": "hub:", "token": "token:"}
"""What is put before names and groups, by how a caller was identified.

Only the cluster's own names have no prefix: a user of the Hub must not become the cluster's user of
the same name.
"""


def object_name(session: Session) -> str:
    """Return the name of a session's workload, Service, Secret and NetworkPolicy."""
    return PREFIX + session.spec.name


def service_host(session: Session) -> str:
    """Return the host of a session's Service inside the cluster."""
    return f"{object_name(session)}.{session.spec.project}.svc"


DOMAIN = "jupyter-gpuquota.github.io"

MANAGED_BY = "app.kubernetes.io/managed-by"
"""The label that selects everything that this program creates."""
MANAGER = "jupyter-gpuquota"
"""The value of `MANAGED_BY`, and the field manager of our writes."""

SESSION = f"{DOMAIN}/session"
"""Label of each object of a session: the session's id."""
RECORD = f"{DOMAIN}/record"
"""Annotation of a session's workload: the session as JSON, as it was last recorded.

Between the deletion of a workload and its re-creation it is an annotation of the session's Secret.
"""
COMPLETE = f"{DOMAIN}/complete"
"""Annotation of a workload whose Secret, Service and NetworkPolicy were made for its next start."""
SHAPE = f"{DOMAIN}/shape"
"""Annotation of a workload: a hash of the request that its pods were made from."""
ATTACHED = f"{DOMAIN}/attached"
"""Annotation of a workload whose pod may run only where its volumes are attached: those nodes."""

DATA_JOB = f"{DOMAIN}/data-job"
"""Label of a Job that works on cached datasets, and of its pods: the id of that job."""
DATA_TASK = f"{DOMAIN}/data-task"
"""Annotation of such a Job: what it does, for whom, as JSON. A restarted controller reads it."""

OWNER = f"{DOMAIN}/owner"
"""Annotation of a claim: the user who made it. Deleting it takes the cluster's right, too."""
DESCRIPTION = f"{DOMAIN}/description"
"""Annotation of a claim: what it is for."""
READ_ONLY = f"{DOMAIN}/read-only"
"""Annotation of a claim: `true` if sessions mount it read-only."""

COPY = f"{DOMAIN}/copy"
"""Label of a claim that is no volume but the copy of one, made for a snapshot."""

COPY_READER = f"{DOMAIN}/copy-reader"
"""Label of a Job whose pod reads copies of volumes, and of that pod: the id of the reading."""

PROCESS = "batch.kubernetes.io/job-completion-index"
"""Label and annotation of a pod of an Indexed Job, by Kubernetes: the number of its process."""

MPI_ROLE = "training.kubeflow.org/job-role"
"""Label of a pod of an MPIJob, by its operator: `launcher` or `worker`."""
MPI_INDEX = "training.kubeflow.org/replica-index"
"""Label of a worker of an MPIJob, by its operator: its number, from 0."""
MPI_LAUNCHERS = "app"
"""The only label of the Job of a launcher, by the operator: the name of its MPIJob."""
