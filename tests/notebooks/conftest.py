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
    """The shell, with a controller for which twenty seconds pass in each."""
    shell.end()
    path = shell.folder / "admin" / "jupyter_gpuquota_config.json"
    kept = path.read_text()
    config = json.loads(kept)
    config["LocalConfig"] |= FAST
    path.write_text(json.dumps(config))
    yield shell
    shell.end()
    path.write_text(kept)
