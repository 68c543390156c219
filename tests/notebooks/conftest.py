"""The folders and the controller of the shell's tests, for kernels."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tests.ui.conftest import Shell, shell

__all__ = ["shell"]

FAST = {"clock_rate": 20.0, "idle_interval": 40}


@pytest.fixture
def hurried(shell: Shell) -> Iterator[Shell]:
    """The shell, with twenty seconds of idleness in each second; it is its controller's last use."""
    shell.end()
    path = shell.folder / "admin" / "jupyter_gpuquota_config.json"
    kept = path.read_text()
    config = json.loads(kept)
    config["LocalConfig"] |= FAST
    path.write_text(json.dumps(config))
    yield shell
    shell.end()
    path.write_text(kept)
