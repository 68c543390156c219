"""Which pods use GPUs, as sessions and as other workloads; pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from ...model.nodes import GpuProgram
from ...model.sessions import Session
from .. import labels
from ..nodes import placement_of
from ..objects.pods import Pod
from ..shares import kai
from ..shares.gpu_node import GpuNode
from .gpu_metrics import Users
from .measured import Pod as Key


def users_by_pod(
    pods: Iterable[Pod], gpus: Mapping[str, GpuNode], sessions: Mapping[str, Session]
) -> dict[Key, Users]:
    """Map the pods that were given GPUs to who uses these.

    `gpus` are those of nodes by name, `sessions` ours by id. Whoever shares a GPU that KAI
    Scheduler keeps by a pod of its own uses what that pod was given.
    """
    found: dict[Key, Users] = {}
    sharing: dict[tuple[str, str], list[GpuProgram]] = defaultdict(list)
    keepers: list[Pod] = []
    for pod in pods:
        node = pod.spec.node_name
        if kai.is_reservation(pod.metadata):
            keepers.append(pod)
        elif (placement := placement_of(pod, gpus)) and placement.slices:
            program = _program(pod, sessions)
            found[_key(pod)] = Users(node, (program,))
            for group in kai.groups_of(pod.metadata):
                sharing[node, group].append(program)
    for pod in keepers:
        node = pod.spec.node_name
        group = pod.metadata.labels[kai.GROUP]
        found[_key(pod)] = Users(node, tuple(sharing[node, group]))
    return found


def _program(pod: Pod, sessions: Mapping[str, Session]) -> GpuProgram:
    """Return a pod as what uses a GPU; one outside sessions belongs to its namespace."""
    meta = pod.metadata
    session = sessions.get(meta.labels.get(labels.SESSION, ""))
    if session is None or session.spec.project != meta.namespace:
        return GpuProgram(name=meta.name, owner=meta.namespace)
    return GpuProgram(session=session.id, name=meta.name, owner=session.owner)


def _key(pod: Pod) -> Key:
    return pod.metadata.namespace, pod.metadata.name
