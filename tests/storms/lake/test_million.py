"""A version of a million files: memory stays within bounds."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.storms.lake.place import ROOT

pytestmark = pytest.mark.timeout(7200)

LIMIT = 400 << 20
"""Bytes that a process may use for any number of entries."""


def test_a_manifest_of_a_million_entries(rounds, show, tmp_path: Path) -> None:
    """In `make test` it has 100,000 entries, and the same limit."""
    count = 5000 * rounds(200, 20)
    module = ("-m", "tests.storms.lake.million")
    done = subprocess.run(
        [sys.executable, *module, str(tmp_path), str(count)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    show("a manifest of many entries", report)
    assert report["entries"] == count
    assert report["peak"] < LIMIT, report
