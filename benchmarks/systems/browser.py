"""Run a script in a real browser."""

from __future__ import annotations

import json
import subprocess
from shutil import which
from typing import Any

from ..errors import CouldNotMeasure
from .product import ROOT
from .server import Server

SCRIPTS = ROOT / "labextension" / "ui-tests" / "bench"
SECONDS = 600


def require_browser() -> None:
    """Raise CouldNotMeasure if scripts cannot run."""
    if which("node") is None or not (SCRIPTS.parent / "node_modules").is_dir():
        raise CouldNotMeasure("Node or Playwright is missing; `make test-browser` installs both")


def run_script(name: str, server: Server) -> Any:
    """Run a script of `SCRIPTS` on a JupyterLab; return what it prints. Raises CouldNotMeasure."""
    command = ["node", str(SCRIPTS / name), f"http://127.0.0.1:{server.port}", server.token]
    result = subprocess.run(
        command,
        cwd=SCRIPTS,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    if result.returncode != 0:
        raise CouldNotMeasure(f"the browser: {result.stderr.strip()[-2000:]}")
    return json.loads(result.stdout.splitlines()[-1])
