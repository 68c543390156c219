"""The template of a session's pods, within the Pod Security Standard *restricted*.

See https://kubernetes.io/docs/concepts/security/pod-security-standards/#restricted. Folders of
nodes, which only an administrator can allow, are outside of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal

from ...model.pods import PodOptions, Toleration
from ...model.sessions import Session
from ..labels import object_name
from ..objects.pods import DEFAULT_CONTAINER
from ..shares.gpu_node import FRACTION, GPU, HOSTNAME, MEMORY, PARTS_OF
from ..shares.provider import PodPatch
from .container import CONTAINER, container
from .datasets import dataset_volumes
from .defaults import Parts
from .metadata import labels_of, without_empty
from .volumes import pod_claims, volumes

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


def pod_template(
    session: Session, parts: Parts, restart: Literal["Always", "Never", ""]
) -> dict[str, Any]:
    """Return the template of a session's pods; without `restart`, their workload says that."""
    engine, share = parts.engine, parts.share
    annotations = {
        DEFAULT_CONTAINER: CONTAINER,
        **share.annotations,
        **({PARTS_OF: CONTAINER} if {FRACTION, MEMORY} & share.annotations.keys() else {}),
        **engine.pod_annotations,
    }
    labels = labels_of(session, {**share.labels, **engine.pod_labels})
    spec = without_empty({**_spec(session, parts), "restartPolicy": restart})
    return {"metadata": {"labels": labels, "annotations": annotations}, "spec": spec}


def _spec(session: Session, parts: Parts) -> dict[str, Any]:
    options, defaults = session.spec.pod or PodOptions(), parts.defaults
    mounted = volumes(session, options, parts)
    pull_secrets = dict.fromkeys((*defaults.pull_secrets, *options.pull_secrets))
    return {
        "containers": [container(session, options, parts, mounted)],
        "volumes": [
            *(dict(volume) for volume, _ in mounted),
            *dataset_volumes(session, defaults),
        ],
        "securityContext": _security(options, parts),
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "subdomain": object_name(session) if session.spec.processes > 1 else "",
        "serviceAccountName": options.service_account or defaults.service_account,
        "imagePullSecrets": [{"name": name} for name in pull_secrets],
        "terminationGracePeriodSeconds": parts.grace,
        "tolerations": list(_tolerations(options, parts)),
        "affinity": _affinity(parts),
        "schedulerName": parts.engine.scheduler,
        "priorityClassName": parts.engine.priority_class,
        "runtimeClassName": parts.share.runtime_class,
        "resourceClaims": pod_claims(session, parts.share),
    }


def _security(options: PodOptions, parts: Parts) -> dict[str, Any]:
    defaults = parts.defaults
    user = defaults.run_as_user if options.run_as_user is None else options.run_as_user
    group = defaults.run_as_group if options.run_as_group is None else options.run_as_group
    return {
        "runAsNonRoot": True,
        "runAsUser": user,
        "runAsGroup": group,
        "fsGroup": group,
        "fsGroupChangePolicy": "OnRootMismatch",
        "seccompProfile": {"type": "RuntimeDefault"},
    }


def _tolerations(options: PodOptions, parts: Parts) -> Iterator[dict[str, str]]:
    """Yield tolerations: those of the share, the administrator's and the request's."""
    named = share_tolerations(parts.share)
    for one in dict.fromkeys((*named, *parts.defaults.tolerations, *options.tolerations)):
        yield toleration(one)


def share_tolerations(share: PodPatch) -> tuple[Toleration, ...]:
    """Return tolerations of a share; nodes with GPUs are often tainted by their resource's name.

    The admission plugin ExtendedResourceToleration does the same, but is off by default. It knows
    only resources: parts of GPUs may be an annotation, or have a resource of another name.
    """
    names = (*share.resources, *((GPU,) if share.milli else ()))
    return tuple(Toleration(key=name, effect="NoSchedule") for name in names)


def toleration(one: Toleration) -> dict[str, str]:
    """Return a toleration as a pod has it."""
    matched = {"operator": "Equal", "value": one.value} if one.value else {"operator": "Exists"}
    return {"key": one.key, **matched, **({"effect": one.effect} if one.effect else {})}


def _affinity(parts: Parts) -> dict[str, Any]:
    """Return which nodes the pod may run on; any of the labels may hold a node's group."""
    wanted = [
        *(_one_of(name, values) for name, values in parts.share.node_labels.items()),
        *(_one_of(HOSTNAME, each.hosts) for each in parts.attached),
    ]
    labels = parts.defaults.node_type_labels if parts.node_types else ()
    terms = [[*wanted, _one_of(label, parts.node_types)] for label in labels] or [wanted]
    if terms == [[]]:
        return {}
    required = {"nodeSelectorTerms": [{"matchExpressions": term} for term in terms]}
    return {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}


def _one_of(label: str, values: Sequence[str]) -> dict[str, Any]:
    return {"key": label, "operator": "In", "values": [*values]}
