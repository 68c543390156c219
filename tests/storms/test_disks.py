"""Full disks: deleted sessions free space, acknowledged changes are kept, others are refused."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.timeout(7200)


def test_full_disks_lose_nothing(own_disk, rounds, seed, tmp_path, show):
    words = ["-m", "tests.storms.disks", str(tmp_path / "disk"), str(seed), str(rounds(50))]
    done = subprocess.run(
        [*own_disk("size=6m"), sys.executable, *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout.splitlines()[-1])
    show("disks", report)
    assert report["problems"] == []
