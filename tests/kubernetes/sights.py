"""What tests show of a session on a cluster: its record, its workload, its pod, its events."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from jupyter_gpuquota.kubernetes.labels import COMPLETE, SHAPE
from jupyter_gpuquota.kubernetes.objects.pods import Event, Pod
from jupyter_gpuquota.kubernetes.objects.workloads import Job, StatefulSet
from jupyter_gpuquota.kubernetes.state.attached import Attached
from jupyter_gpuquota.kubernetes.state.record import Record, shape_of
from jupyter_gpuquota.kubernetes.state.seen import Seen
from jupyter_gpuquota.model.resources import Share
from jupyter_gpuquota.model.sessions import Session, SessionSpec

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)
NODE = "dgx1-1"
ON_N1 = Attached("data", ("n1",), ("n1",))
"""A volume that ties sessions to a node."""
IMAGE = "registry.example/lab:1"


def record(state: str = "waiting", pod: str = "", **fields: Any) -> Record:
    """Return a recorded session; `command` and `kind` are those of its request."""
    spec = SessionSpec(
        name="exp-1",
        project="team-a",
        kind=fields.pop("kind", "interactive"),
        share=Share(milli=1000),
        environment="",
        image=IMAGE,
        folder="/home/jovyan",
        command=fields.pop("command", ()),
        processes=fields.pop("processes", 1),
    )
    times = {"since": NOW, "created": NOW, "path": "gpuquota/s/s1/"}
    return Record(
        session=Session(id="s1", spec=spec, owner="me", state=state, **times, **fields), pod=pod
    )


def workload(of: Record, *, up: bool = True, settled: bool = True, **meta: Any) -> StatefulSet:
    """Return the StatefulSet of a session; `settled`: its controller has seen its newest state."""
    annotations = {SHAPE: shape_of(of.session), **({COMPLETE: "true"} if up else {})}
    return _object(
        StatefulSet,
        {"uid": "w1", "generation": 2, "annotations": annotations, **meta},
        spec={"replicas": int(up)},
        status={"observedGeneration": 2 if settled else 1},
    )


def job(of: Record, *, suspend: bool = False, condition: str = "", **meta: Any) -> Job:
    """Return the Job of a session; `condition` is one that is true of it."""
    annotations = {SHAPE: shape_of(of.session), **({} if suspend else {COMPLETE: "true"})}
    conditions = [{"type": condition, "status": "True"}] if condition else []
    return _object(
        Job,
        {"uid": "w1", "annotations": annotations, **meta},
        spec={"suspend": suspend},
        status={"conditions": conditions},
    )


def pod(
    uid: str = "p1",
    *,
    node: str = NODE,
    ready: bool = False,
    phase: str = "Running",
    owner: str = "w1",
    state: dict[str, Any] | None = None,
    last: dict[str, Any] | None = None,
    restarts: int = 0,
    deleted: bool = False,
    unscheduled: str = "",
    gated: bool = False,
    disrupted: str = "",
    spared: bool = False,
    reason: str = "",
) -> Pod:
    """Return a pod. `state` and `last` are those of its container.

    `disrupted` is why it is to go, `spared` whether it then was not.
    """
    conditions = [{"type": "Ready", "status": str(ready)}]
    if unscheduled:
        why = "SchedulingGated" if gated else "Unschedulable"
        said = {"type": "PodScheduled", "status": "False", "reason": why}
        conditions.append({**said, "message": unscheduled})
    if disrupted:
        target = {"type": "DisruptionTarget", "status": str(not spared)}
        conditions.append({**target, "reason": disrupted})
    meta: dict[str, Any] = {
        "uid": uid,
        "ownerReferences": [{"kind": "x", "name": "x", "uid": owner}],
    }
    if deleted:
        meta["deletionTimestamp"] = NOW
    container = {
        "name": "main",
        "restartCount": restarts,
        "state": state or {},
        "lastState": last or {},
    }
    return _object(
        Pod,
        {"creationTimestamp": NOW, **meta},
        spec={"nodeName": node, "containers": [{"name": "main", "image": IMAGE}]},
        status={
            "phase": phase,
            "reason": reason,
            "conditions": conditions,
            "containerStatuses": [container],
        },
    )


def event(reason: str, message: str = "", *, uid: str = "p1", at: int = 0) -> Event:
    """Return an event, `at` seconds after the beginning."""
    when = NOW + timedelta(seconds=at)
    return _object(
        Event,
        {"uid": f"e-{reason}-{at}"},
        involvedObject={"uid": uid},
        reason=reason,
        message=message,
        firstTimestamp=when,
        lastTimestamp=when,
    )


def seen(*pods: Pod, of: Record, **fields: Any) -> Seen:
    """Return what is seen of a session that has a workload."""
    fields.setdefault("workload", workload(of))
    return Seen(pods=pods, **fields)


def _object(kind: Any, meta: dict[str, Any], **parts: Any) -> Any:
    raw = {"metadata": {"name": "gpu-exp-1", "namespace": "team-a", **meta}, **parts}
    return msgspec.json.decode(msgspec.json.encode(raw), type=kind)
