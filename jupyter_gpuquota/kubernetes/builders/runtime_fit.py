"""Whether the pods of a TrainJob would be those of the session's Indexed Job. Pure.

A TrainJob replaces some fields of its runtime's template. All others must be in the runtime as the
session needs them, or else the session's processes could be restarted, or have other rights.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from ...model.messages.build import message
from ...model.sessions import Session
from ...model.struct import Message
from ..names import object_name
from ..objects.runtimes import TrainingRuntime
from .defaults import Parts
from .job import job
from .train_job import NODE, PATCHED, PATCHED_INSIDE, RESERVED

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
