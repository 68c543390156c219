"""The pods of Jobs that help: on cached datasets, on copies of volumes; within *restricted*."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...model.pods import Toleration
from ..labels import DATA_JOB, DATA_TASK, MANAGED_BY, MANAGER
from ..objects.pods import DEFAULT_CONTAINER
from ..quantities import memory_text, thousandths_text
from ..resources import JOBS
from .container import literal
from .metadata import without_empty
from .pod import DISRUPTED, toleration

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
                    "annotations": {DEFAULT_CONTAINER: CONTAINER},
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


_SCRATCH = "/scratch"


@dataclass(frozen=True, slots=True)
class DataJobSettings:
    """The administrator's settings for Jobs on cached datasets and on copies of volumes.

    CPUs are millicores, memory MiB. `deadline` and `kept` are seconds: the most that a Job runs,
    and how long one that has ended stays. `labels` are added to the Job, for example for a queue.
    """

    image: str
    pull_policy: str = ""
    pull_secrets: tuple[str, ...] = ()
    cpu: int = 500
    memory: int = 1024
    deadline: int = 24 * 3600
    kept: int = 3600
    retries: int = 3
    run_as_user: int = 1000
    run_as_group: int = 100
    tolerations: tuple[Toleration, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class HelperProgram:
    """What such a pod runs, and what it mounts, in the words of the API.

    `secret` is the Secret whose keys become variables, empty for none.
    """

    name: str
    command: Sequence[str]
    volumes: Sequence[Mapping[str, Any]]
    mounts: Sequence[Mapping[str, Any]]
    env: Mapping[str, str] = field(default_factory=dict)
    secret: str = ""


def helper_pod(program: HelperProgram, settings: DataJobSettings) -> dict[str, Any]:
    """Return the `spec` of a pod. It holds no GPU, and has no token for the API."""
    return without_empty(
        {
            "restartPolicy": "Never",
            "containers": [_container(program, settings)],
            "volumes": [*program.volumes, {"name": "scratch", "emptyDir": {}}],
            "securityContext": {
                "runAsNonRoot": True,
                "runAsUser": settings.run_as_user,
                "runAsGroup": settings.run_as_group,
                "fsGroup": settings.run_as_group,
                "fsGroupChangePolicy": "OnRootMismatch",
                "seccompProfile": {"type": "RuntimeDefault"},
            },
            "automountServiceAccountToken": False,
            "enableServiceLinks": False,
            "imagePullSecrets": [{"name": name} for name in settings.pull_secrets],
            "tolerations": [toleration(one) for one in settings.tolerations],
        }
    )


def _container(program: HelperProgram, settings: DataJobSettings) -> dict[str, Any]:
    plain = {"HOME": _SCRATCH, "TMPDIR": _SCRATCH, "PYTHONUNBUFFERED": "1"}
    plain |= {**settings.env, **program.env}
    amounts = {
        "cpu": thousandths_text(settings.cpu),
        "memory": memory_text(settings.memory),
    }
    return without_empty(
        {
            "name": program.name,
            "image": settings.image,
            "imagePullPolicy": settings.pull_policy,
            "command": [literal(word) for word in program.command],
            "workingDir": _SCRATCH,
            "env": [{"name": name, "value": literal(value)} for name, value in plain.items()],
            "envFrom": [{"secretRef": {"name": program.secret}}] if program.secret else [],
            # CPU has no limit: an idle node's may be used. Memory is what is requested.
            "resources": {"requests": amounts, "limits": {"memory": amounts["memory"]}},
            "volumeMounts": [*program.mounts, {"name": "scratch", "mountPath": _SCRATCH}],
            "securityContext": {
                "allowPrivilegeEscalation": False,
                "readOnlyRootFilesystem": True,
                "capabilities": {"drop": ["ALL"]},
            },
            "terminationMessagePolicy": "FallbackToLogsOnError",
        }
    )
