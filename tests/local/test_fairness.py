"""The scheduling scenarios of the source documents, played live: real processes, through REST."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from jupyter_gpuquota import Client
from tests.scenarios.live import DOCUMENTS, Live, read
from tests.shell import opened

SCENARIO = read(DOCUMENTS)


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


def test_three_scenarios_end_live_in_the_same_table(client: Client) -> None:
    assert Live(client, SCENARIO).play() == 4
    history = {s.spec.name: s for s in client.sessions.list()}
    assert history["b-4-gg"].state == "running"  # reclaimed in the second scenario, back since
    assert history["b-4-gg"].reclaimed.project == "team-d"
