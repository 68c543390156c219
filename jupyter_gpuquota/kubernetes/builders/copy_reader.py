"""The Job whose pod mounts copies of volumes, so that programs in it can read them.

The claims belong to the Job: Kubernetes removes them with it, whoever has created it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..labels import COPY_READER, MANAGED_BY, MANAGER
from ..objects.pods import DEFAULT_CONTAINER
from ..resources import JOBS
from .helper_pod import DataJobSettings, HelperProgram, helper_pod

COPIES = "GPUQUOTA_COPIES"
"""The variable with the folder in which the copies are: `0`, `1`, …"""

_FOLDER = "/copies"
_CONTAINER = "reader"
_WAIT = "import time\ntime.sleep({})"
_KEPT = 60
"""Seconds that a Job stays that has ended by itself, its claims with it."""


def name_of(reading: str) -> str:
    """Return the name of the Job by its id."""
    return f"gpuquota-read-{reading}"


def copy_reader(
    reading: str, namespace: str, claims: Sequence[str], settings: DataJobSettings
) -> dict[str, Any]:
    """Return the Job; its pod does nothing by itself, and ends at the deadline at the latest."""
    labels = {MANAGED_BY: MANAGER, COPY_READER: reading}
    return {
        "apiVersion": JOBS.api_version,
        "kind": JOBS.kind,
        "metadata": {
            "name": name_of(reading),
            "namespace": namespace,
            "labels": {**settings.labels, **labels},
        },
        "spec": {
            "completions": 1,
            "parallelism": 1,
            "backoffLimit": 0,
            "activeDeadlineSeconds": settings.deadline,
            "ttlSecondsAfterFinished": _KEPT,
            "template": {
                "metadata": {
                    "labels": labels,
                    "annotations": {DEFAULT_CONTAINER: _CONTAINER},
                },
                "spec": helper_pod(_program(claims, settings.deadline), settings),
            },
        },
    }


def _program(claims: Sequence[str], deadline: int) -> HelperProgram:
    return HelperProgram(
        name=_CONTAINER,
        command=("python3", "-I", "-c", _WAIT.format(deadline)),
        volumes=[
            {
                "name": f"copy-{number}",
                "persistentVolumeClaim": {"claimName": claim, "readOnly": True},
            }
            for number, claim in enumerate(claims)
        ],
        mounts=[
            {"name": f"copy-{number}", "mountPath": f"{_FOLDER}/{number}", "readOnly": True}
            for number in range(len(claims))
        ],
        env={COPIES: _FOLDER},
    )
