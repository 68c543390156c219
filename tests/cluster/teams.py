"""Namespaces of teams, with the rights of their members and a quota."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from scripts.cluster.labels import PODS
from scripts.cluster.rest import Rest
from scripts.cluster.settings import MILLI_GPU
from scripts.cluster.setup import wait_for
from tests.cluster.leaving import leave

KUEUE = "kueue.x-k8s.io/v1beta2"
RBAC = "rbac.authorization.k8s.io"
GPU_NODE = "Tesla-V100-SXM2-32GB"
PRIORITIES = {"interactive": 100, "interactive-spot": 60, "train": 50}
"""The values of Kueue's priority classes, as the documentation recommends."""
RESTRICTED = "pod-security.kubernetes.io/enforce"

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Team:
    """A namespace; `queue` is the name of its LocalQueue, empty without Kueue."""

    namespace: str
    group: str
    queue: str = ""


class Teams:
    """Namespaces of one test. Its Kueue queues share a cohort and one kind of nodes."""

    def __init__(self, rest: Rest, prefix: str, nodes: Json | None = None) -> None:
        """Begin; `nodes` specifies the ResourceFlavor. Default: the nodes of whole GPUs."""
        self._rest = rest
        self._prefix = prefix
        self._made: list[str] = []
        self._namespaces: list[str] = []
        self._flavor = ""
        self._spec = nodes or {"nodeLabels": {"nvidia.com/gpu.product": GPU_NODE}}

    @property
    def cohort(self) -> str:
        """The cohort of the test's queues."""
        return self._prefix

    def plain(self, group: str, *, processes: bool = False) -> Team:
        """Create a namespace, under Pod Security `restricted`, whose members are a group.

        With `processes` its pods are real processes on this machine.
        """
        namespace = f"{self._prefix}-{group}"
        labels = {RESTRICTED: "restricted"} | ({PODS: "processes"} if processes else {})
        meta = {"name": namespace, "labels": labels}
        self._rest.create({"apiVersion": "v1", "kind": "Namespace", "metadata": meta})
        self._namespaces.append(namespace)
        for role in ("edit", "batch-user-role"):
            self._rest.create(_binding(namespace, role, group))
        return Team(namespace, group)

    def with_quota(self, group: str, hard: Json, *, processes: bool = False) -> Team:
        """Create a namespace with a ResourceQuota that counts: the API server learns of it late."""
        team = self.plain(group, processes=processes)
        meta = {"name": "gpus", "namespace": team.namespace}
        quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": meta}
        self._rest.create({**quota, "spec": {"hard": hard}})
        path = f"/api/v1/namespaces/{team.namespace}/resourcequotas/gpus"
        wait_for(lambda: "used" in self._rest.get(path).get("status", {}), f"{path} counts")
        return team

    def with_kueue(
        self,
        group: str,
        milli: int,
        *,
        processes: bool = False,
        limit: int | None = None,
        preemption: Json | None = None,
    ) -> Team:
        """Create a namespace with queues; it may borrow `limit` thousandths of a GPU."""
        team = self.plain(group, processes=processes)
        gpus: Json = {"name": MILLI_GPU, "nominalQuota": milli}
        if limit is not None:
            gpus["borrowingLimit"] = limit
        rest = [{"name": "cpu", "nominalQuota": "1k"}, {"name": "memory", "nominalQuota": "10Ti"}]
        covered = {
            "coveredResources": [MILLI_GPU, "cpu", "memory"],
            "flavors": [{"name": self._nodes(), "resources": [gpus, *rest]}],
        }
        spec = {
            "cohortName": self.cohort,
            "queueingStrategy": "BestEffortFIFO",
            "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": team.namespace}},
            "preemption": preemption
            or {"reclaimWithinCohort": "Any", "withinClusterQueue": "LowerPriority"},
            "resourceGroups": [covered],
        }
        meta = {"name": team.namespace}
        self._make({"apiVersion": KUEUE, "kind": "ClusterQueue", "metadata": meta, "spec": spec})
        local = {"name": "gpus", "namespace": team.namespace}
        self._rest.create(
            {
                "apiVersion": KUEUE,
                "kind": "LocalQueue",
                "metadata": local,
                "spec": {"clusterQueue": team.namespace},
            }
        )
        path = self._rest.path(KUEUE, "LocalQueue", team.namespace, "gpus")
        wait_for(lambda: _active(self._rest.get(path)), f"{path} is active")
        return Team(team.namespace, group, "gpus")

    def remove(self) -> None:
        """Delete everything, as far as `leave` does; the cluster finishes it alone."""
        for namespace in self._namespaces:
            leave(self._rest, namespace)
        for path in self._made:
            self._rest.delete(path)

    def _nodes(self) -> str:
        """Return the flavor of the queues, created for the first one."""
        if not self._flavor:
            self._flavor = f"{self._prefix}-v100"
            meta = {"name": self._flavor}
            flavor = {"apiVersion": KUEUE, "kind": "ResourceFlavor", "metadata": meta}
            self._make({**flavor, "spec": self._spec})
        return self._flavor

    def _make(self, manifest: Json) -> None:
        self._rest.create(manifest)
        self._made.append(self._rest.path_of(manifest))


def make_priorities(rest: Rest) -> None:
    """Create the priority classes, which all tests on a cluster share."""
    for name, value in PRIORITIES.items():
        kind = {"apiVersion": KUEUE, "kind": "WorkloadPriorityClass", "metadata": {"name": name}}
        rest.apply({**kind, "value": value})


def _binding(namespace: str, role: str, group: str) -> Json:
    return {
        "apiVersion": f"{RBAC}/v1",
        "kind": "RoleBinding",
        "metadata": {"name": f"members-{role}", "namespace": namespace},
        "roleRef": {"apiGroup": RBAC, "kind": "ClusterRole", "name": role},
        "subjects": [{"apiGroup": RBAC, "kind": "Group", "name": group}],
    }


def _active(queue: Json) -> bool:
    conditions = queue.get("status", {}).get("conditions", [])
    return any(one["type"] == "Active" and one["status"] == "True" for one in conditions)
