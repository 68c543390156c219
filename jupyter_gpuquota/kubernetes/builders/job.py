"""The Job of a training."""

from __future__ import annotations

from typing import Any

from ...model.sessions import Session
from .defaults import Parts
from .pod import pod_template

DISRUPTED = {
    "action": "Ignore",
    "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}],
}
"""A pod that was evicted, not one that failed: the Job makes another."""


def job(session: Session, parts: Parts) -> dict[str, Any]:
    """Return a Job that runs once; only a pod that was evicted is replaced, when it has ended.

    One of several processes is indexed: its pods have numbers and stable names.
    """
    count = session.spec.processes
    return {
        "suspend": True,
        "completions": count,
        "parallelism": count,
        **({"completionMode": "Indexed"} if count > 1 else {}),
        "backoffLimit": 0,
        "podReplacementPolicy": "Failed",
        "podFailurePolicy": {"rules": [DISRUPTED]},
        "template": pod_template(session, parts, "Never"),
    }
