"""Projects as screens show them, from their queues. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ....model.quota import Project
from ....model.resources import MILLI
from ....model.sessions import KINDS, Kind
from ...quantities import thousandths
from ..extras import extras_of
from .queues import ProjectQueues
from .victims import may_lose


def project_of(queues: ProjectQueues, revision: str, priorities: Mapping[Kind, int]) -> Project:
    """Return a project with the quota of its queues; `priorities` are Kueue's by kind."""
    extras = extras_of(queues.main)
    return Project(
        name=queues.namespace,
        quota=queues.quota,
        limit=queues.limit,
        weight=weight_of(queues),
        node_affinity=extras.node_affinity,
        interactive_duration=extras.interactive_duration,
        preemptible=tuple(kind for kind in KINDS if may_lose(queues, kind, priorities)),
        revision=revision,
    )


def weight_of(queues: ProjectQueues) -> int:
    """Return the weight of a project's borrowing ClusterQueue in thousandths; Kueue's usual is 1.

    It counts only where fair sharing is switched on in Kueue's configuration.
    """
    sharing = queues.behind("train").spec.fair_sharing
    return thousandths(sharing.weight) if sharing else MILLI


def warnings(
    projects: Mapping[str, ProjectQueues], priorities: Mapping[Kind, int]
) -> Iterator[str]:
    """Yield what administrators may not have intended."""
    for queues in projects.values():
        yield from _unclear(queues)
        yield from _uncovered(queues)
    if at_risk := [
        name for name, queues in projects.items() if may_lose(queues, "interactive", priorities)
    ]:
        yield (
            f"Kueue may preempt interactive sessions of {_list(at_risk)}. Give them a LocalQueue "
            "whose ClusterQueue has borrowingLimit 0, and the highest WorkloadPriorityClass."
        )


def _unclear(queues: ProjectQueues) -> Iterator[str]:
    """Yield which queues are used, where there are more than are needed."""
    used = {queues.main.metadata.name, queues.interactive.metadata.name}
    others = [each.metadata.name for each in queues.all if each.metadata.name not in used]
    if others:
        yield (
            f"Namespace {queues.namespace} has several LocalQueues. {queues.main.metadata.name} is "
            f"used, and {queues.interactive.metadata.name} for interactive sessions; "
            f"not used: {_list(others)}. Choose others with KubernetesConfig.queue and "
            "KubernetesConfig.interactive_queue."
        )


def _uncovered(queues: ProjectQueues) -> Iterator[str]:
    """Yield which ClusterQueues admit no pod that requests CPU or memory."""
    for name in queues.cluster_queues:
        groups = queues.state.by_name[name].spec.resource_groups
        covered = {each for group in groups for each in group.covered_resources}
        if lacking := [each for each in ("cpu", "memory") if each not in covered]:
            yield (
                f"ClusterQueue {name} has no quota of {_list(lacking)}, so it admits no session "
                "that requests some, unless Kueue's configuration excludes these resources."
            )


def _list(names: Iterable[str]) -> str:
    return " and ".join(names)
