"""Volumes when a controller ends: each is there as a whole or not at all, and sessions find it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from jupyter_gpuquota.model.volumes.mounts import Mount
from tests.contract.backend_contract import PROJECTS, launch, until
from tests.contract.volumes_contract import VolumesContract, spec_of

ROOT = Path(__file__).resolve().parents[2]


def test_no_step_at_which_it_is_killed_leaves_half_a_volume(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "tests.local.volume_steps", str(tmp_path)]
    ran = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    report = json.loads(ran.stdout)
    assert report["problems"] == []
    assert set(report["steps"]) == {"create", "share", "change", "delete", "unshare"}
    assert min(report["steps"].values()) >= 3


@pytest.mark.asyncio
async def test_a_queued_session_finds_its_volume_after_a_restart(make: Callable[..., Any]) -> None:
    first = await make(projects=PROJECTS, simulated_nodes=[{"name": "a", "gpus": 1}])
    await first.volumes.create(VolumesContract().wanted())
    hog = await launch(first, "hog", project="team-c", gpu="1")
    await until(first, hog.id, "running")
    spec = await spec_of(first, Mount(volume="scans", path="/scans"), gpu="1")
    queued = await first.sessions.create(spec, "owner")
    assert queued.state == "waiting"
    await first.resident.close()
    # There is room now: the session starts as soon as it is loaded.
    second = await make(projects=PROJECTS, simulated_nodes=[{"name": "a", "gpus": 2}])
    await until(second, queued.id, "running")
