"""The Job that works on the cached datasets of a claim; within the Pod Security *restricted*."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..labels import DATA_JOB, DATA_TASK, MANAGED_BY, MANAGER
from ..resources import JOBS
from .helper_pod import DataJobSettings, HelperProgram, helper_pod
from .job import DISRUPTED

CACHE_FOLDER = "/cache"
"""Where the claim is mounted in the Job's pod."""
CONTAINER = "data"
"""The name of the container."""

_PROGRAM = ("python", "-m", "jupyter_gpuquota.store")
_NAME = re.compile(r"[a-z0-9]([-a-z0-9]{0,38}[a-z0-9])?", re.ASCII)
_ENDED = {"action": "FailJob", "onExitCodes": {"operator": "NotIn", "values": [137, 143]}}
"""A program that has ended by itself says why; one that was killed is run again."""


@dataclass(frozen=True, slots=True)
class DataJob:
    """One Job: the operation on a claim's datasets, in the namespace of the claim.

    `id` is that of the job that users see, `arguments` follow the name of the program. `secret` is
    the Secret with the lake's credentials, empty for none.
    """

    id: str
    verb: str
    namespace: str
    claim: str
    arguments: Sequence[str]
    secret: str = ""


def name_of(job: DataJob) -> str:
    """Return the name of a Job; ids that may not be in names are hashed."""
    digest = hashlib.sha256(job.id.encode()).hexdigest()[:16]
    return f"gpuquota-{job.verb}-{job.id if _NAME.fullmatch(job.id) else digest}"


def data_job(job: DataJob, settings: DataJobSettings, task: str) -> dict[str, Any]:
    """Return the Job; `task` is recorded in it as it is. It holds no GPU, and calls no API."""
    labels = {MANAGED_BY: MANAGER, DATA_JOB: _label(job.id)}
    return {
        "apiVersion": JOBS.api_version,
        "kind": JOBS.kind,
        "metadata": {
            "name": name_of(job),
            "namespace": job.namespace,
            "labels": {**settings.labels, **labels},
            "annotations": {DATA_TASK: task},
        },
        "spec": {
            "completions": 1,
            "parallelism": 1,
            "backoffLimit": settings.retries,
            "activeDeadlineSeconds": settings.deadline,
            "ttlSecondsAfterFinished": settings.kept,
            "podReplacementPolicy": "Failed",
            "podFailurePolicy": {"rules": [DISRUPTED, _ENDED]},
            "template": {
                "metadata": {
                    "labels": labels,
                    "annotations": {"kubectl.kubernetes.io/default-container": CONTAINER},
                },
                "spec": _pod(job, settings),
            },
        },
    }


def _pod(job: DataJob, settings: DataJobSettings) -> dict[str, Any]:
    program = HelperProgram(
        name=CONTAINER,
        command=(*_PROGRAM, job.verb, *job.arguments),
        volumes=({"name": "cache", "persistentVolumeClaim": {"claimName": job.claim}},),
        mounts=({"name": "cache", "mountPath": CACHE_FOLDER},),
        secret=job.secret,
    )
    return helper_pod(program, settings)


def _label(text: str) -> str:
    """Return a text as the value of a label, hashed where it may not be one."""
    return text if _NAME.fullmatch(text) else hashlib.sha256(text.encode()).hexdigest()[:16]
