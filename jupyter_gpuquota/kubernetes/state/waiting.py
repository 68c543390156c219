"""Why a workload that its engine admits does not run yet. Pure."""

from __future__ import annotations

import re

from ...model.messages.build import reason
from ...model.reasons import Reason
from ..objects.pods import Pod
from .ends import restarting
from .images import why_pulling
from .seen import Seen, unscheduled

_NOT_CREATED = frozenset(
    {"CreateContainerConfigError", "CreateContainerError", "RunContainerError"}
)
"""Words of the kubelet while it cannot create a container, and tries again."""
_NOT_MADE = ("FailedCreate", "JobCreationFailed", "TrainJobResourcesCreationFailed")
"""Reasons of events of Jobs and StatefulSets without their pods, of JobSets, and of TrainJobs."""
_MISSING = re.compile(r'persistentvolumeclaim "(.+?)" not found')
"""What the scheduler says of a claim that is not there."""


def why_waiting(namespace: str, seen: Seen) -> Reason | None:
    """Return why a workload has no pod on a node; None if nothing tells."""
    pod = seen.present
    if pod is None:
        return why_refused(namespace, seen)
    failed = seen.of("FailedScheduling", pod=pod)
    raw = unscheduled(pod) or (failed.message if failed else "")
    if not raw:
        return None
    if missing := _MISSING.search(raw):
        return reason("VolumePending", "volume.missing", raw=raw, claim=missing[1])
    if "PersistentVolumeClaim" in raw or "persistentvolumeclaim" in raw:
        return reason("VolumePending", "volume.pending", raw=raw)
    return reason("NoNodeFits", "node.none", raw=raw)


def why_not_ready(seen: Seen, pod: Pod) -> Reason | None:
    """Return why a pod on its node does not serve yet; None if nothing is wrong."""
    return (
        why_pulling(seen, pod)
        or _why_mounting(seen, pod)
        or _why_not_created(pod)
        or restarting(pod)
    )


def why_refused(namespace: str, seen: Seen) -> Reason | None:
    """Return why the controller of a workload could not create its pod."""
    event, made = seen.of(*_NOT_MADE), seen.of("SuccessfulCreate")
    if event is None or seen.workload is None:
        return None
    if made is not None and seen.of(*_NOT_MADE, "SuccessfulCreate") is made:
        return None
    if "exceeded quota" in event.message:
        return reason("OverQuota", "pod.quota", project=namespace, raw=event.message)
    if "is being terminated" in event.message:
        return reason("QueueMissing", "project.draining", project=namespace, raw=event.message)
    return reason("NotAllowed", "pod.refused", raw=event.message)


def _why_mounting(seen: Seen, pod: Pod) -> Reason | None:
    started = seen.of("Started", pod=pod)
    event = seen.of("FailedMount", "FailedAttachVolume", pod=pod)
    if event is None or started is not None:
        return None
    return reason("VolumePending", "volume.pending", raw=event.message)


def _why_not_created(pod: Pod) -> Reason | None:
    """Return why the kubelet cannot create the container, such as a Secret that is missing."""
    status = pod.main_status
    waiting = status.state.waiting if status else None
    if waiting is None or waiting.reason not in _NOT_CREATED:
        return None
    detail = (waiting.message or waiting.reason).rstrip(".")
    raw = f"{waiting.reason}: {waiting.message}"
    return reason("StartFailed", "container.failed", detail=detail, raw=raw)
