"""The workload of a session: a StatefulSet, or a Job for a training. It is created without pods."""

from __future__ import annotations

from typing import Any

from ...model.sessions import Session
from ..labels import ATTACHED
from ..names import object_name
from ..reconcile.manifests import workload_resource
from ..state.attached import mark
from .defaults import Parts
from .metadata import labels_of, manifest, selector_of
from .pod import pod_template

DISRUPTED = {
    "action": "Ignore",
    "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}],
}
"""A pod that was evicted, not one that failed: the Job makes another."""


def workload(session: Session, parts: Parts) -> dict[str, Any]:
    """Return the workload of a session, without pods, and out of the engine's reach.

    `released_labels` are those with which it may start.
    """
    made = manifest(workload_resource(session.spec), session, spec=_spec(session, parts))
    held = parts.engine.held if session.spec.data and session.spec.kind == "train" else {}
    made["metadata"]["labels"] = {**released_labels(session, parts), **held}
    tied = {ATTACHED: mark(parts.attached)} if parts.attached else {}
    if annotations := {**parts.engine.annotations, **tied}:
        made["metadata"]["annotations"] = annotations
    return made


def released_labels(session: Session, parts: Parts) -> dict[str, str]:
    """Return the labels of a workload whose data is there."""
    return labels_of(session, parts.engine.labels)


def _spec(session: Session, parts: Parts) -> dict[str, Any]:
    return _job(session, parts) if session.spec.kind == "train" else _stateful_set(session, parts)


def _stateful_set(session: Session, parts: Parts) -> dict[str, Any]:
    return {
        "replicas": 0,
        "serviceName": object_name(session),
        "selector": {"matchLabels": selector_of(session)},
        "template": pod_template(session, parts, "Always"),
    }


def _job(session: Session, parts: Parts) -> dict[str, Any]:
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
