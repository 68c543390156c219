"""The layers of docs/architecture.md hold. Their contracts are in pyproject.toml."""

import sys
from pathlib import Path
from subprocess import PIPE, STDOUT, run

from tests.architecture.sources import ROOT


def test_every_import_contract_is_kept():
    linter = Path(sys.executable).with_name("lint-imports")
    result = run(
        [linter, "--no-logo", "--no-cache"],
        cwd=ROOT,
        stdout=PIPE,
        stderr=STDOUT,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout
