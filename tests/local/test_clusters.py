"""Two clusters of real processes: a session goes on to the second, also after a kill."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.shell import Shell, opened, wait_for

ONE_GPU = {"devices": "simulated", "stop_grace": 5.0}
TEAM = [{"name": "team-a", "quota": "1"}]
CONFIG = {
    "LocalConfig": {**ONE_GPU, "simulated_nodes": [{"name": "here", "gpus": 1}]},
    "GpuQuota": {
        "projects": TEAM,
        "cluster_name": "lab",
        "clusters": {
            "other": {
                "backend": "local",
                "LocalConfig": {**ONE_GPU, "simulated_nodes": [{"name": "there", "gpus": 1}]},
                "GpuQuota": {"projects": TEAM},
            }
        },
    },
}


@pytest.fixture
def shell(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shell]:
    with opened(tmp_path_factory.mktemp("shell"), CONFIG) as found:
        yield found


def test_a_training_goes_on_to_the_other_cluster_and_runs_once(shell: Shell) -> None:
    shell.ok("submit", "first", "-g", "1", "--wait", "--", "sleep", "600")
    script = 'echo run >> runs; echo "controller $GPUQUOTA_STATE_DIR"; sleep 600'
    said = shell.ok(
        *("submit", "second", "-g", "1", "--on", "lab,other", "--on-wait", "10s"),
        *("--", "sh", "-c", script),
    )
    assert "is queued" in said
    assert "lab (now), then other" in shell.ok("describe", "second")
    for process in shell.processes("jupyter_gpuquota.controller"):
        process.kill()

    def found() -> Any:
        return shell.json("describe", "second")

    wait_for(lambda: found()["state"] == "running", lambda: str(found()))
    session = found()
    assert session["spec"]["project"] == "other/team-a"
    assert session["placement"]["node"] == "other/there"
    wait_for(lambda: "controller" in shell.ok("logs", "second"))
    # Its programs find the one controller, not one of its cluster.
    assert f"controller {shell.folder / 'state'}" in shell.ok("logs", "second")
    assert (shell.folder / "work" / "runs").read_text() == "run\n"
    assert "now in other" in shell.ok("describe", "second")
    moved = [
        each["what"] for each in shell.json("project", "audit")["items"] if each["who"] == "system"
    ]
    assert len(moved) == 1, moved
    assert "from lab to other (other/team-a)" in moved[0]
    table = shell.ok("list")
    assert "other/team-a" in table
    shell.ok("stop", "other/team-a/second")
    shell.ok("delete", "second")
    assert "second" not in shell.ok("list")
