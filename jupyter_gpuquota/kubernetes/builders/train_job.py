"""A TrainJob: its runtime says how a JobSet with one Indexed Job is made, whose pods are patched.

Trainer adds the variables of `torchrun`, JobSet the Service.
"""

from __future__ import annotations

from typing import Any

from ...model.sessions import Session
from ..labels import DOMAIN
from ..names import object_name
from .defaults import Parts
from .metadata import labels_of, without_empty
from .pod import DEFAULT_CONTAINER, pod_template

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
    template = {
        "metadata": {**meta, "annotations": {**meta["annotations"], DEFAULT_CONTAINER: NODE}},
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
