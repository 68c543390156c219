"""A session on a cluster, used in a browser."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from scripts.cluster.cluster import Cluster
from tests.cluster.teams import Teams

UI_TESTS = Path(__file__).resolve().parents[2] / "labextension" / "ui-tests"
LIMIT = 900


def test_a_session_is_used_in_a_browser(kubelet: Cluster, teams: Teams, tmp_path: Path) -> None:
    team = teams.with_kueue("team-a", 4000, processes=True)
    # Without its configuration the controller would manage the sessions of all other tests, too.
    inherited = {name: value for name, value in os.environ.items() if name != "JUPYTER_NO_CONFIG"}
    environment = {
        **inherited,
        "JUPYTER_GPUQUOTA_BACKEND": "kubernetes",
        "KUBECONFIG": str(kubelet.kubeconfig()),
        "GPUQUOTA_TEST_NAMESPACE": team.namespace,
        "REPORTS": str(tmp_path),
    }
    command = ["jlpm", "playwright", "test", "--config", "cluster/playwright.config.js"]
    ran = subprocess.run(
        command,
        cwd=UI_TESTS,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout
    assert "1 passed" in ran.stdout
