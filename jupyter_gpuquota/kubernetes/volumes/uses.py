"""Which pods mount which claims. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from ...model.volumes.mounts import VolumeUse
from ..labels import SESSION
from ..objects.pods import Pod
from ..state.seen import FINISHED

Key = tuple[str, str]
"""Namespace and name of a claim."""


def others(pods: Iterable[Pod], ours: Collection[str]) -> Mapping[Key, tuple[VolumeUse, ...]]:
    """Return the pods that mount each claim and belong to none of our sessions.

    `ours` are the ids of our sessions. A label alone proves nothing: anyone can set it.
    """
    found: defaultdict[Key, list[VolumeUse]] = defaultdict(list)
    for pod in pods:
        meta = pod.metadata
        if pod.status.phase in FINISHED or meta.labels.get(SESSION) in ours:
            continue
        for volume in pod.spec.volumes:
            if source := volume.persistent_volume_claim:
                use = _use(pod, volume.name, read_only=source.read_only)
                found[meta.namespace, source.claim_name].append(use)
    return {key: tuple(uses) for key, uses in found.items()}


def pods_of(pods: Iterable[Pod]) -> Mapping[Key, Sequence[Pod]]:
    """Return the pods that hold each claim, or are about to; each pod once."""
    found: defaultdict[Key, list[Pod]] = defaultdict(list)
    for pod in pods:
        if pod.status.phase not in FINISHED:
            sources = (volume.persistent_volume_claim for volume in pod.spec.volumes)
            for name in {source.claim_name for source in sources if source}:
                found[pod.metadata.namespace, name].append(pod)
    return found


def _use(pod: Pod, volume: str, *, read_only: bool) -> VolumeUse:
    """Return how a pod uses a volume: by the first of its containers that mounts it."""
    containers = (*pod.spec.containers, *pod.spec.init_containers)
    mounts = [mount for one in containers for mount in one.volume_mounts if mount.name == volume]
    return VolumeUse(
        name=pod.metadata.name,
        project=pod.metadata.namespace,
        path=mounts[0].mount_path if mounts else "",
        read_only=read_only or (bool(mounts) and all(mount.read_only for mount in mounts)),
        node=pod.spec.node_name,
        state=pod.status.phase.lower(),
    )
