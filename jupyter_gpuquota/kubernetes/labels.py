"""Labels and annotations of a session's objects."""

from __future__ import annotations

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
