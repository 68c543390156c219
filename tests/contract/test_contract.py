"""The contract proves something: what is not a backend passes none of it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from tests.contract.required_contract import missing

ROOT = Path(__file__).resolve().parents[2]

EMPTY = """
import pytest
from tests.contract.backend_contract import BackendContract

class Nothing:
    pass

@pytest.mark.asyncio
class TestEmpty(BackendContract):
    declares = frozenset()

    @pytest.fixture
    def backend(self):
        return Nothing()
"""


def test_an_empty_class_passes_nothing(tmp_path: Path) -> None:
    (tmp_path / "test_empty.py").write_text(EMPTY)
    options = ["-q", "-p", "no:cacheprovider", "--rootdir", str(ROOT), "--timeout=30"]
    options += ["--tb=line", "--basetemp", str(tmp_path / "own")]
    command = [sys.executable, "-m", "pytest", *options, str(tmp_path / "test_empty.py")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    last = done.stdout.strip().splitlines()[-1]
    assert re.fullmatch(r"\d+ failed in .*", last), done.stdout


def test_all_that_is_missing_is_named_at_once() -> None:
    class Half:
        class Logs:
            pass

        class Sessions:
            def all(self) -> tuple[()]:
                return ()

        logs = Logs()
        sessions = Sessions()

    named = missing(Half())
    assert {"logs.read", "sessions.create", "sessions.stop", "access"} <= set(named)
    assert "sessions.all" not in named
    assert not [name for name in named if name.startswith("exec.")]
