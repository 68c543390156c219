"""The workload of a session: a StatefulSet, or a Job for a training. It is created without pods."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...model.sessions import Session
from ..names import object_name
from ..resources import JOBS, STATEFUL_SETS, Resource
from .defaults import Parts
from .metadata import labels_of, manifest, selector_of
from .pod import pod_template

_DISRUPTED = {
    "action": "Ignore",
    "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}],
}
"""A pod that was evicted, not one that failed: the Job makes another."""


def workload_kind(session: Session) -> Resource[Any]:
    """Return the kind of a session's workload."""
    return JOBS if session.spec.kind == "train" else STATEFUL_SETS


def workload(
    session: Session, parts: Parts, annotations: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Return the workload of a session, without pods; `annotations` are added to the engine's."""
    spec = _job(session, parts) if session.spec.kind == "train" else _stateful_set(session, parts)
    made = manifest(workload_kind(session), session, spec=spec)
    made["metadata"]["labels"] = labels_of(session, parts.engine.labels)
    if notes := {**parts.engine.annotations, **(annotations or {})}:
        made["metadata"]["annotations"] = notes
    return made


def scale(session: Session, *, up: bool) -> dict[str, Any]:
    """Return the change that lets a workload have its pod, or none."""
    return {"spec": {"suspend": not up} if session.spec.kind == "train" else {"replicas": int(up)}}


def _stateful_set(session: Session, parts: Parts) -> dict[str, Any]:
    return {
        "replicas": 0,
        "serviceName": object_name(session),
        "selector": {"matchLabels": selector_of(session)},
        "template": pod_template(session, parts, "Always"),
    }


def _job(session: Session, parts: Parts) -> dict[str, Any]:
    """Return a Job that runs once; only a pod that was evicted is replaced, when it has ended."""
    return {
        "suspend": True,
        "completions": 1,
        "parallelism": 1,
        "backoffLimit": 0,
        "podReplacementPolicy": "Failed",
        "podFailurePolicy": {"rules": [_DISRUPTED]},
        "template": pod_template(session, parts, "Never"),
    }
