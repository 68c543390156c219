"""The tour of a cluster runs from the first cell to the last, on a real API server."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest

from scripts.cluster.cluster import Cluster
from tests.cluster.teams import Teams
from tests.notebooks.test_notebooks import FOLDER, execute, text_of
from tests.shell import Shell, opened


@pytest.fixture
def shell(kubelet: Cluster, teams: Teams, tmp_path: Path) -> Iterator[Shell]:
    """A shell of the cluster's administrator, with one project of four GPUs."""
    team = teams.with_kueue("team-a", 4000, processes=True)
    config = {
        "GpuQuota": {"backend": "kubernetes"},
        "KubernetesConfig": {
            "kubeconfig": str(kubelet.kubeconfig()),
            "namespaces": [team.namespace],
            "shares": ["whole", "milli"],
        },
    }
    with opened(tmp_path, config) as shell:
        shell.more["JUPYTER_GPUQUOTA_BACKEND"] = "kubernetes"
        yield shell


def test_the_tour(shell: Shell) -> None:
    notebook = execute(nbformat.read(FOLDER / "04-on-kubernetes.ipynb", 4), shell)
    assert "team-a" in text_of(notebook, "%gpu quota")
    assert "minimal-notebook" in text_of(notebook, "%gpu environments")
    assert "Uses 0.5 GPU of your quota" in text_of(notebook, "%gpu submit on-cluster -g 0.5 --i")
    described = text_of(notebook, "%gpu describe")
    assert "Pulling" in described
    assert "isolation" in described
    assert "I have 0.5 GPU" in text_of(notebook, "%gpu exec")
    assert "ServerApp" in text_of(notebook, "%gpu logs on-cluster --")
    assert "Suspended on request" in text_of(notebook, "%gpu suspend")
    assert "is running" in text_of(notebook, "%gpu resume")
    assert "is running" in text_of(notebook, "%gpu resize")
    assert "64 GPUs" in text_of(notebook, "from jupyter_gpuquota import Client")
    assert "epoch 0\nepoch 1\nepoch 2\n" in text_of(notebook, "%gpu logs on-cluster-training")
    assert text_of(notebook, "client.sessions.stop") == "[]"
    assert not re.search(r"token=\w", nbformat.writes(notebook))
