"""With each way of sharing GPUs, pods run on the nodes that were meant, and hold what they cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
import pytest

from jupyter_gpuquota.kubernetes.builders.defaults import Parts, PodDefaults
from jupyter_gpuquota.kubernetes.builders.pod import pod_template
from jupyter_gpuquota.kubernetes.nodes import NodeSettings, inventory_of, read_nodes, slices_of
from jupyter_gpuquota.kubernetes.objects.cluster import KubeNode
from jupyter_gpuquota.kubernetes.objects.pods import Pod
from jupyter_gpuquota.kubernetes.shares.registry import Choice, Shares
from jupyter_gpuquota.model.pods import Toleration
from jupyter_gpuquota.model.resources import Share
from scripts.cluster.setup import wait_for
from tests.builders import make_session

TAINT = "test.jupyter-gpuquota.github.io/shares"
"""Keeps the pods of other tests off these nodes."""
V100, A100 = "Tesla-V100-SXM2-32GB", "NVIDIA-A100-SXM4-40GB"
NODES: Mapping[str, tuple[dict[str, str], dict[str, str]]] = {
    "whole": (
        {"nvidia.com/gpu": "4"},
        {"gpu.count": "4", "gpu.memory": "32768", "gpu.product": V100},
    ),
    "sliced": (
        {"nvidia.com/gpu": "8"},
        {
            "gpu.count": "2",
            "gpu.memory": "32768",
            "gpu.product": f"{V100}-SHARED",
            "gpu.replicas": "4",
            "gpu.sharing-strategy": "time-slicing",
        },
    ),
    "mps": (
        {"nvidia.com/gpu.shared": "4"},
        {
            "gpu.count": "2",
            "gpu.memory": "40960",
            "gpu.product": f"{A100}-SHARED",
            "gpu.replicas": "2",
            "gpu.sharing-strategy": "mps",
        },
    ),
    "mig": (
        {"nvidia.com/mig-1g.5gb": "3", "nvidia.com/mig-3g.20gb": "1"},
        {"gpu.count": "1", "gpu.memory": "40960", "gpu.product": A100, "mig-1g.5gb.memory": "4864"},
    ),
}


@pytest.fixture
def nodes(cluster: Any, name: str) -> Iterator[str]:
    """Nodes with each way of sharing; their names begin with that of the test."""
    rest = cluster.rest()
    for kind, (resources, labels) in NODES.items():
        rest.create(fake_node(f"{name}-{kind}", resources, labels))
    wait_for(lambda: len(_ready(rest, name)) == len(NODES), "the nodes are ready")
    yield name
    for kind in NODES:
        rest.delete(f"/api/v1/nodes/{name}-{kind}")


@pytest.mark.parametrize(
    ("share", "kind", "rounded", "milli"),
    [
        (Share(milli=2000), "whole", Share(milli=2000), 2000),
        (Share(milli=300), "mig", Share(mig="3g.20gb"), 429),
        (Share(milli=450), "mps", Share(milli=500), 500),
        (Share(milli=200), "sliced", Share(milli=250), 250),
        (Share(milli=700), "sliced", Share(milli=750), 750),
        (Share(mig="3g.20gb"), "mig", Share(mig="3g.20gb"), 429),
        (Share(memory=4000), "mig", Share(mig="1g.5gb"), 143),
    ],
)
def test_a_pod_runs_where_its_share_is_given(
    cluster: Any, teams: Any, nodes: str, share: Share, kind: str, rounded: Share, milli: int
) -> None:
    rest, team = cluster.rest(), teams.plain("team-a")
    found = read_nodes(_all(rest), NodeSettings())
    mine = [gpus for name, gpus in found.gpus.items() if name.startswith(nodes)]
    elsewhere = [gpus for name, gpus in found.gpus.items() if not name.startswith(nodes)]
    choice = Shares().choose(share, mine, elsewhere)
    assert isinstance(choice, Choice)
    assert (choice.share, choice.patch().milli) == (rounded, milli)

    path = f"/api/v1/namespaces/{team.namespace}/pods/exp-1"
    rest.create(_pod(team.namespace, choice))
    wait_for(lambda: rest.get(path)["status"]["phase"] == "Running", "the pod runs")
    pod = msgspec.convert(rest.get(path), Pod)
    assert pod.spec.node_name == f"{nodes}-{kind}"
    held = slices_of(pod, found.gpus[pod.spec.node_name])
    assert sum(piece.milli for piece in held) == milli
    [holding] = inventory_of(found, [pod], ()).holdings
    assert (holding.placement.milli, holding.placement.simulated) == (milli, True)


def _all(rest: Any) -> list[KubeNode]:
    return msgspec.convert(rest.get("/api/v1/nodes")["items"], list[KubeNode])


def _ready(rest: Any, prefix: str) -> list[str]:
    nodes = read_nodes(_all(rest), NodeSettings(tolerations=(Toleration(key=TAINT),))).nodes
    return [node.name for node in nodes if node.name.startswith(prefix) and not node.problem]


def fake_node(name: str, resources: Mapping[str, str], labels: Mapping[str, str]) -> dict[str, Any]:
    """Return a node that KWOK runs, with a taint that keeps other tests off."""
    amounts = {"cpu": "32", "memory": "256Gi", "pods": "110", **resources}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "annotations": {"kwok.x-k8s.io/node": "fake"},
            "labels": {
                "kubernetes.io/hostname": name,
                **{f"nvidia.com/{key}": value for key, value in labels.items()},
            },
        },
        "spec": {"taints": [{"key": TAINT, "effect": "NoSchedule"}]},
        "status": {"capacity": amounts, "allocatable": amounts},
    }


def _pod(namespace: str, choice: Choice) -> dict[str, Any]:
    """Return a pod as sessions have it."""
    defaults = PodDefaults(tolerations=(Toleration(key=TAINT),))
    session = make_session("exp-1", project=namespace, image="quay.io/jupyter/base-notebook")
    parts = Parts(share=choice.patch(), defaults=defaults)
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "exp-1", "namespace": namespace},
        "spec": pod_template(session, parts, "Never")["spec"],
    }
