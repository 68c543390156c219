"""What the targets for users would run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def planned(*words: str, **environment: str) -> str:
    """Return what make would run, without running it."""
    return subprocess.run(
        ["make", "--dry-run", *words],
        cwd=ROOT,
        env={"PATH": "/usr/bin:/bin", **environment},
        capture_output=True,
        text=True,
        check=True,
    ).stdout


@pytest.mark.skipif(sys.platform != "linux", reason="Other systems always have a screen.")
@pytest.mark.parametrize(
    ("environment", "opens"),
    [
        ({}, False),
        ({"DISPLAY": ":0"}, True),
        ({"WAYLAND_DISPLAY": "wayland-0"}, True),
        ({"BROWSER": "firefox"}, True),
        ({"BROWSER": "none", "DISPLAY": ":0"}, False),
    ],
)
def test_jupyterlab_opens_a_browser_where_there_is_one(
    environment: dict[str, str], *, opens: bool
) -> None:
    commands = planned("lab", **environment)
    assert "jupyter lab --ip=127.0.0.1" in commands
    assert ("--no-browser" not in commands) == opens
