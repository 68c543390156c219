"""Build the product as a release does, from a copy of the sources."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from ..errors import CouldNotMeasure

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("jupyter_gpuquota", "labextension", "jupyter-config")
FILES = ("pyproject.toml", "install.json", "README.md", "LICENSE")
LEFT_OUT = shutil.ignore_patterns(
    "node_modules", "lib", "ui-tests", "__pycache__", "*.tsbuildinfo", "coverage"
)


def fingerprint() -> str:
    """Return a hash of all sources of the product."""
    digest = sha256()
    listed = run(["git", "ls-files", "--cached", "--others", "--exclude-standard", *PARTS, *FILES])
    for name in sorted(listed.splitlines()):
        path = ROOT / name
        if path.is_file() and "ui-tests" not in path.parts:
            digest.update(name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def build_wheel(target: Path) -> Path:
    """Build front end (for production) and wheel; return the wheel's path in `target`."""
    with TemporaryDirectory(prefix="gpuquota-bench-") as folder:
        copy = Path(folder) / "sources"
        for part in PARTS:
            shutil.copytree(ROOT / part, copy / part, ignore=LEFT_OUT)
        for name in FILES:
            shutil.copy2(ROOT / name, copy / name)
        front_end = copy / "labextension"
        (front_end / "node_modules").symlink_to(ROOT / "labextension" / "node_modules")
        shutil.rmtree(copy / "jupyter_gpuquota" / "labextension", ignore_errors=True)
        run(["jlpm", "build:prod"], folder=front_end)
        pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
        # The front end is there: the wheel's hook need not build it a second time.
        run([*pip, "--wheel-dir", str(target), str(copy)], SKIP_JUPYTER_BUILDER="1")
    (wheel,) = target.glob("jupyter_gpuquota-*.whl")
    return wheel


def run(command: list[str], folder: Path = ROOT, **variables: str) -> str:
    """Run a command and return what it printed. Raises CouldNotMeasure with its last lines."""
    result = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **variables},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if result.returncode != 0:
        last = "\n".join((result.stdout + result.stderr).strip().splitlines()[-15:])
        raise CouldNotMeasure(f"`{' '.join(command)}` failed:\n{last}")
    return result.stdout
