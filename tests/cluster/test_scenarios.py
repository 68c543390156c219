"""The scenarios of the source documents end under Kueue in the table of every other backend."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from jupyter_gpuquota import Client
from jupyter_gpuquota.hosting.locate import BACKEND
from scripts.cluster.settings import MILLI_GPU, WHOLE_GPU
from tests.cluster.queues import Nested
from tests.cluster.teams import Teams, make_priorities
from tests.scenarios.live import DOCUMENTS, Live, read
from tests.shell import opened

SCENARIO = read(DOCUMENTS)
OWN = "test.jupyter-gpuquota.github.io/own"
"""Label and taint of a node for one test: Kueue does not see that GPUs are left on several."""

Json = dict[str, Any]
Make = Callable[[str, int], Any]


def node(name: str, owner: str) -> Json:
    """Return a node with all GPUs of the scenario."""
    gpus = sum(each["gpus"] for each in SCENARIO["nodes"])
    amounts = {"cpu": "320", "memory": "2Ti", "pods": "250"}
    amounts |= {WHOLE_GPU: str(gpus), MILLI_GPU: str(1000 * gpus)}
    facts = {"present": "true", "product": "Tesla-V100-SXM3-32GB", "memory": "32768"}
    facts |= {"count": str(gpus), "replicas": "1", "sharing-strategy": "none"}
    labels = {f"nvidia.com/gpu.{key}": value for key, value in facts.items()}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "annotations": {"kwok.x-k8s.io/node": "fake"},
            "labels": {**labels, "kubernetes.io/hostname": name, OWN: owner},
        },
        "spec": {"taints": [{"key": OWN, "value": owner, "effect": "NoSchedule"}]},
        "status": {"capacity": amounts, "allocatable": amounts},
    }


@pytest.fixture(params=["nested", pytest.param("flat", marks=pytest.mark.rare)])
def team(cluster: Any, name: str, request: pytest.FixtureRequest) -> Iterator[Make]:
    """Makes teams, with two ClusterQueues each or with one, on a node of their own."""
    rest = cluster.rest()
    machine = node(f"{name}-dgx2", name)
    rest.apply(machine)
    taint = {"key": OWN, "value": name, "effect": "NoSchedule"}
    flavor = {"nodeLabels": {OWN: name}, "nodeTaints": [taint]}
    made: Nested | Teams
    if request.param == "nested":
        made = nested = Nested(rest, name, flavor)
        yield nested.team
    else:
        make_priorities(rest)
        made = flat = Teams(rest, name, flavor)
        yield flat.with_kueue
    made.remove()
    rest.delete(rest.path_of(machine))


def test_the_scenarios_end_in_the_same_table(
    cluster: Any, name: str, team: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(BACKEND, "kubernetes")
    for project in SCENARIO["projects"]:
        team(project["name"], 1000 * project["quota"])
    config = {
        "KubernetesConfig": {
            "kubeconfig": str(cluster.kubeconfig()),
            "namespaces": [f"{name}-{project['name']}" for project in SCENARIO["projects"]],
            "engine": "kueue",
            "shares": ["whole", "milli"],
            "milli_resource": MILLI_GPU,
            "tolerations": [f"{OWN}={name}"],
        },
    }
    with opened(tmp_path, config) as shell:
        shell.ok("quota")
        client = Client(state_dir=tmp_path / "state")
        live = Live(client, SCENARIO, lambda project: f"{name}-{project}", one_by_one=True)
        assert live.play() == 4
        history = {s.spec.name: s for s in client.sessions.list()}
    assert history["b-4-gg"].state == "running"  # reclaimed in the second scenario, back since
    assert history["b-4-gg"].reclaimed.project == f"{name}-team-d"
