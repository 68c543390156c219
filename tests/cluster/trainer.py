"""What Kubeflow's Trainer and JobSet make of a TrainJob, as far as sessions depend on it.

The test cluster has their definitions, which check what is written, and not their programs: this
makes JobSet and Job from the runtime's template with all patches, and reports the end of the Job.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Any

from scripts.cluster.rest import Refused, Rest

Json = dict[str, Any]

TRAINER, JOB_SET = "trainer.kubeflow.org/v1alpha1", "jobset.x-k8s.io/v1alpha2"
_NODE = "node"
_INDEX = "metadata.annotations['batch.kubernetes.io/job-completion-index']"
_PAUSE = 0.2


@asynccontextmanager
async def trainer(rest: Rest, namespace: str) -> AsyncIterator[None]:
    """Work on the TrainJobs of a namespace."""
    task = asyncio.create_task(_run(rest, namespace))
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def _run(rest: Rest, namespace: str) -> None:
    while True:
        await asyncio.to_thread(_look, rest, namespace)
        await asyncio.sleep(_PAUSE)


def _look(rest: Rest, namespace: str) -> None:
    for found in rest.get(rest.path(TRAINER, "TrainJob", namespace))["items"]:
        if found["spec"].get("suspend") or found["metadata"].get("deletionTimestamp"):
            continue
        job = _made_or_gone(rest, found)
        for condition in job.get("status", {}).get("conditions", []):
            if condition["status"] == "True" and condition["type"] in ("Complete", "Failed"):
                _report(rest, found, condition)


def _report(rest: Rest, train_job: Json, condition: Json) -> None:
    ended = {
        "type": condition["type"],
        "status": "True",
        "reason": condition.get("reason") or "Ended",
        "message": condition.get("message", ""),
        "lastTransitionTime": condition["lastTransitionTime"],
    }
    path = rest.path(TRAINER, "TrainJob", train_job["metadata"]["namespace"])
    with contextlib.suppress(Refused):  # it may be gone meanwhile
        rest.patch(
            f"{path}/{train_job['metadata']['name']}/status", {"status": {"conditions": [ended]}}
        )


def _made_or_gone(rest: Rest, train_job: Json) -> Json:
    """Return the Job of a TrainJob; nothing if its objects are being deleted with it."""
    try:
        return _made(rest, train_job)
    except Refused as refused:
        if refused.status != HTTPStatus.NOT_FOUND:
            raise
        return {}


def _made(rest: Rest, train_job: Json) -> Json:
    """Return the Job of a TrainJob, made if it is not there."""
    name = train_job["spec"]["runtimeRef"]["name"]
    runtime = rest.get(f"{rest.path(TRAINER, 'ClusterTrainingRuntime')}/{name}")
    meta: Json = train_job["metadata"]
    labels: dict[str, str] = {}
    [one] = runtime["spec"]["template"]["spec"]["replicatedJobs"]
    template = one["template"]
    for patch in train_job["spec"].get("runtimePatches", []):
        changes = patch.get("trainingRuntimeSpec", {}).get("template", {})
        labels |= changes.get("metadata", {}).get("labels", {})
        for each in changes.get("spec", {}).get("replicatedJobs", []):
            template = _merged(template, each.get("template", {}))
    template = _with_trainer(template, train_job)
    top = {"name": meta["name"], "namespace": meta["namespace"], "labels": labels}
    job_set = _create(
        rest,
        {
            "apiVersion": JOB_SET,
            "kind": "JobSet",
            "metadata": {**top, "ownerReferences": [_owner(train_job)]},
            "spec": {"replicatedJobs": [{"name": _NODE, "replicas": 1, "template": template}]},
        },
    )
    below = {"name": f"{meta['name']}-{_NODE}-0", "namespace": meta["namespace"]}
    below |= {"labels": template["metadata"]["labels"], "ownerReferences": [_owner(job_set)]}
    job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": below, "spec": template["spec"]}
    return _create(rest, job)


def _with_trainer(template: Json, train_job: Json) -> Json:
    """Return the template with what `trainer` says, as a Job that runs."""
    meta, asked = train_job["metadata"], train_job["spec"]["trainer"]
    first = f"{meta['name']}-{_NODE}-0-0.{meta['name']}"
    index = {"valueFrom": {"fieldRef": {"fieldPath": _INDEX}}}
    own = [
        {"name": "PET_NNODES", "value": str(asked["numNodes"])},
        {"name": "PET_NPROC_PER_NODE", "value": str(asked["numProcPerNode"])},
        {"name": "PET_NODE_RANK", **index},
        {"name": "PET_MASTER_ADDR", "value": first},
        {"name": "PET_MASTER_PORT", "value": "29500"},
    ]
    container = {
        "name": _NODE,
        **{field: asked[field] for field in ("image", "command", "args")},
        "resources": asked.get("resourcesPerNode", {}),
        "env": [*asked["env"], *own],
    }
    pods = {"spec": {"containers": [container], "subdomain": meta["name"]}}
    count = {"completions": asked["numNodes"], "parallelism": asked["numNodes"]}
    spec = {**count, "completionMode": "Indexed", "template": pods}
    made: Json = _merged(template, {"spec": spec})
    return made


def _create(rest: Rest, manifest: Json) -> Json:
    try:
        made: Json = rest.create(manifest)
    except Refused as refused:
        if refused.status != HTTPStatus.CONFLICT:
            raise
        made = rest.get(rest.path_of(manifest))
    return made


def _owner(of: Json) -> Json:
    meta = of["metadata"]
    about = {"apiVersion": of["apiVersion"], "kind": of["kind"], "name": meta["name"]}
    return {**about, "uid": meta["uid"], "controller": True, "blockOwnerDeletion": True}


def _merged(base: Any, patch: Any) -> Any:
    """Return a strategic merge: objects by field, lists of named objects by name."""
    if isinstance(base, dict) and isinstance(patch, dict):
        changed = {name: _merged(base.get(name), value) for name, value in patch.items()}
        return {**base, **changed}
    if isinstance(base, list) and isinstance(patch, list) and _are_named([*base, *patch]):
        known = {each["name"]: each for each in base}
        known |= {each["name"]: _merged(known.get(each["name"]), each) for each in patch}
        return list(known.values())
    return patch


def _are_named(found: list[Any]) -> bool:
    return all(isinstance(each, dict) and "name" in each for each in found)
