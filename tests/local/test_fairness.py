"""The scheduling scenarios of the source documents, played live: real processes, through REST."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from jupyter_gpuquota import Client
from tests.shell import opened
from tests.waiting import PATIENCE

FILE = Path(__file__).parents[1] / "scenarios" / "netapp-over-quota.yaml"
SCENARIO = yaml.safe_load(FILE.read_text())


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    """A client of a controller whose machine and teams are the scenario's."""
    config = {
        "LocalConfig": {
            "devices": "simulated",
            "simulated_nodes": SCENARIO["nodes"],
            "stop_grace": 5.0,
        },
        "GpuQuota": {
            "projects": [{**p, "quota": str(p["quota"])} for p in SCENARIO["projects"]],
            "reclaim_grace": 5,
        },
    }
    with opened(tmp_path, config) as shell:
        shell.ok("quota")
        yield Client(state_dir=tmp_path / "state")


def until(condition: Callable[[], Any]) -> None:
    """Wait until an assertion holds; say what it says if it never does."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            condition()
        except AssertionError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)
        else:
            return


def table(client: Client) -> dict[str, dict[str, float]]:
    """Return what the projects hold and wait for, as the scenario writes it."""
    quota = client.quota.get()
    return {
        use.name: {"allocated": use.allocated / 1000, "waiting": use.waiting}
        for use in quota.projects
    }


def settled(client: Client, wanted: dict[str, Any]) -> None:
    """Check the table, and that nobody is on the way anywhere."""
    sessions = client.sessions.list()
    assert not [s for s in sessions if s.state in ("starting", "stopping")]
    found = table(client)
    for name, project in wanted["projects"].items():
        assert found[name] == {key: project[key] for key in ("allocated", "waiting")}
    states = {s.spec.name: s.state for s in sessions}
    for name, session in wanted.get("sessions", {}).items():
        assert states[name] == session["state"]


def test_three_scenarios_end_live_in_the_same_table(client: Client) -> None:
    for step in SCENARIO["steps"]:
        if asked := step.get("submit"):
            client.sessions.submit(**asked, command=("sleep", "600"))
        for name in step.get("delete", ()):
            client.sessions.stop(name)
        if wanted := step.get("expect"):
            until(lambda wanted=wanted: settled(client, wanted))
    history = {s.spec.name: s for s in client.sessions.list()}
    assert history["b-4-gg"].state == "running"  # reclaimed in the second scenario, back since
    assert history["b-4-gg"].reclaimed.project == "team-d"
