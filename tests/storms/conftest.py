"""What storms need: a fleet on a folder of its own, of which nothing is left."""

from __future__ import annotations

import json
import os
import random
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.chosen import on_local
from tests.local.conftest import own_disk
from tests.storms.fleet import CONFIG, Fleet

Show = Callable[[str, dict[str, object]], None]

__all__ = ["on_local", "own_disk"]


@pytest.fixture(autouse=True)
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Configure the controllers that the storm or its clients start."""
    folder = tmp_path / "config"
    folder.mkdir()
    (folder / "jupyter_gpuquota_config.json").write_text(json.dumps(CONFIG))
    monkeypatch.delenv("JUPYTER_NO_CONFIG", raising=False)
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", str(folder))


@pytest.fixture
def fleet(tmp_path: Path, seed: int) -> Iterator[Fleet]:
    """A state folder with nothing in it; what runs there ends with the test."""
    one = Fleet(tmp_path / "state", random.Random(seed))  # noqa: S311 (no secret)
    yield one
    one.kill()
    for pid in one.processes():
        os.kill(pid, signal.SIGKILL)


@pytest.fixture
def show(
    capsys: pytest.CaptureFixture[str], record_property: Callable[[str, object], None]
) -> Show:
    """Return what prints a storm's figures, also where it has passed, and puts them on record."""

    def print_report(name: str, report: dict[str, object]) -> None:
        record_property(name, report)
        with capsys.disabled():
            print(f"\n{name}: {report}")  # noqa: T201 (reports go to the terminal)

    return print_report
