"""A TrainJob: its runtime says how a JobSet with one Indexed Job is made, whose pods are patched.

Trainer adds the variables of `torchrun`, JobSet the Service. A TrainJob replaces some fields of its
runtime's template. All others must be in the runtime as the session needs them, or else the
session's processes could be restarted, or have other rights.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from ...model.messages.build import message
from ...model.sessions import Session
from ...model.struct import Message
from ..labels import DOMAIN, object_name
from ..objects.pods import DEFAULT_CONTAINER
from ..objects.workloads import TrainingRuntime
from ..shares.gpu_node import PARTS_OF
from .defaults import Parts
from .metadata import labels_of, without_empty
from .pod import job, pod_template

NODE = "node"
"""The name of the Job in the JobSet, and of the container, by which Trainer knows them."""
RESERVED = frozenset(
    {"PET_MASTER_ADDR", "PET_MASTER_PORT", "PET_NNODES", "PET_NODE_RANK", "PET_NPROC_PER_NODE"}
)
"""Variables that Trainer sets, and accepts from nobody else."""
PATCHED = frozenset(
    {
        "affinity",
        "containers",
        "imagePullSecrets",
        "securityContext",
        "serviceAccountName",
        "tolerations",
        "volumes",
    }
)
"""The fields of a pod that a TrainJob may patch."""
PATCHED_INSIDE = frozenset({"name", "securityContext", "volumeMounts"})
"""The fields of a container that a TrainJob may patch; `trainer` has others."""

_MANAGER = f"{DOMAIN}/sessions"


def train_job(session: Session, parts: Parts) -> dict[str, Any]:
    """Return a TrainJob whose pods are those of the session's Indexed Job, if its runtime fits.

    `torchrun` starts one process in each pod unless it is told otherwise, as in a Job.
    """
    pod = pod_template(session, parts, "")
    [container] = pod["spec"]["containers"]
    return {
        "suspend": True,
        "runtimeRef": {"name": parts.defaults.training_runtime},
        "trainer": {
            "numNodes": session.spec.processes,
            "numProcPerNode": 1,
            "image": container["image"],
            "command": container["command"],
            "args": [],
            "env": _environment(session, container["env"]),
            "resourcesPerNode": container.get("resources", {}),
        },
        "runtimePatches": [
            {
                "manager": _MANAGER,
                "trainingRuntimeSpec": {"template": _patch(session, pod, container)},
            }
        ],
    }


def _patch(session: Session, pod: dict[str, Any], container: dict[str, Any]) -> dict[str, Any]:
    """Return the patch of the runtime's template.

    JobSet and Job get our labels: pods are the session's by the chain of their owners.
    """
    inside = {name: value for name, value in container.items() if name in PATCHED_INSIDE}
    spec = {name: value for name, value in pod["spec"].items() if name in PATCHED}
    meta = pod["metadata"]
    named = dict.fromkeys({DEFAULT_CONTAINER, PARTS_OF} & meta["annotations"].keys(), NODE)
    template = {
        "metadata": {**meta, "annotations": {**meta["annotations"], **named}},
        "spec": without_empty({**spec, "containers": [{**inside, "name": NODE}]}),
    }
    labels = labels_of(session)
    made = {"metadata": {"labels": labels}, "spec": {"template": template}}
    return {
        "metadata": {"labels": labels},
        "spec": {"replicatedJobs": [{"name": NODE, "template": made}]},
    }


def _environment(session: Session, found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the variables without those of Trainer; JobSet gives its pods other names."""
    name = object_name(session)
    first = {"name": "MASTER_ADDR", "value": f"{name}-{NODE}-0-0.{name}"}
    kept = (each for each in found if each["name"] not in RESERVED)
    return [first if each["name"] == first["name"] else each for each in kept]


_STEP = "trainer.kubeflow.org/trainjob-ancestor-step"
_OF_JOB = frozenset({"completions", "parallelism", "suspend", "template"})
"""The fields of a Job that Trainer and JobSet set."""
_OF_POD = PATCHED | {"subdomain"}
_INSIDE = PATCHED_INSIDE | {"command", "env", "image", "ports", "resources"}
"""The fields of a container that a TrainJob sets; ports only name what is reached anyway."""
_ADDED = frozenset({"affinity", "args", "imagePullSecrets", "nodeSelector", "tolerations"})
"""Fields that a runtime may have besides; `args` are replaced."""
_OURS = RESERVED - {"PET_NPROC_PER_NODE"}
"""The variables of Trainer that a Job has, too."""
_MOST = 128
"""Most words of a command, and most variables, of a TrainJob."""
_LONGEST = 63
"""Longest name of a pod, by JobSet: its own, those of Job and process, and six characters."""


def unfit(session: Session, parts: Parts, runtime: TrainingRuntime | None) -> Message | None:
    """Return why a session cannot be a TrainJob, None if it can."""
    name = parts.defaults.training_runtime
    if runtime is None:
        return message("preview.no_runtime", runtime=name)
    found = sorted(set(differences(session, parts, runtime)))
    return message("preview.unfit_runtime", runtime=name, fields=",".join(found)) if found else None


def differences(session: Session, parts: Parts, runtime: TrainingRuntime) -> Iterator[str]:
    """Yield the fields that would not be as in the session's Indexed Job."""
    spec = runtime.spec
    if "torch" not in (spec.get("mlPolicy") or {}):
        yield "mlPolicy"
    if spec.get("podGroupPolicy"):
        yield "podGroupPolicy"
    last = session.spec.processes - 1
    if len(f"{object_name(session)}-{NODE}-0-{last}-abcde") > _LONGEST:
        yield "metadata.name"
    job_set = _field(spec, "template", "spec")
    yield from job_set.keys() - {"replicatedJobs"}
    jobs = job_set.get("replicatedJobs", ())
    if [each.get("name") for each in jobs] != [NODE]:
        yield "replicatedJobs"
        return
    if _field(jobs[0], "template", "metadata", "labels").get(_STEP) != "trainer":
        yield _STEP
    yield from _of_job(job(session, parts), _field(jobs[0], "template", "spec"))
    if parts.engine.scheduler:
        yield "schedulerName"  # KAI Scheduler does not start the pods of a TrainJob together


def _of_job(wanted: Mapping[str, Any], found: Mapping[str, Any]) -> Iterator[str]:
    found = {"completionMode": "Indexed", **found}
    yield from _differ(wanted, found, _OF_JOB)
    ours, theirs = _field(wanted, "template", "spec"), _field(found, "template", "spec")
    yield from _differ(ours, theirs, _OF_POD)
    if theirs.get("volumes"):
        yield "volumes"  # one of the same name would be merged with ours
    containers = theirs.get("containers", ())
    if [each.get("name") for each in containers] != [NODE]:
        yield "containers"
        return
    [container] = ours["containers"]
    yield from _differ(container, containers[0], _INSIDE)
    yield from (each for each in ("command", "env") if len(container[each]) > _MOST)
    yield from RESERVED & {each["name"] for each in container["env"]} - _OURS


def _differ(
    wanted: Mapping[str, Any], found: Mapping[str, Any], replaced: Collection[str]
) -> Iterator[str]:
    """Yield the fields that differ, except for those that are replaced or may be added."""
    for name in wanted.keys() | found.keys():
        fits = name in replaced if name in wanted else name in _ADDED
        if not fits and wanted.get(name) != found.get(name):
            yield name


def _field(found: Mapping[str, Any], *path: str) -> Mapping[str, Any]:
    for name in path:
        found = found.get(name) or {}
    return found
