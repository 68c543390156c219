"""Run the tests in a copy of this tree that has no local backend, on the memory backend.

    python -m scripts.without_local [ARGUMENT OF PYTEST ...]

The copy lacks the folder of the local backend and its entry point, and the tests of that backend,
of the notebooks and of packaging. A test that fails there depends on one backend where any should
do.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[1]

# Excluded by name: `local` is a folder of the package and one of the tests.
LEFT_OUT = ("local", "notebooks", "packaging")
MADE = (".git", ".venv*", ".*_cache", ".yarn", "node_modules", "reports", "test-results")


def main(arguments: list[str]) -> int:
    """Run pytest in the copy, and return its exit code."""
    # Short, because the path of a unix socket has to fit into 107 bytes.
    with TemporaryDirectory(prefix="gpuquota-") as folder:
        tree = Path(folder, "tree")
        shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(*LEFT_OUT, *MADE))
        project = tree / "pyproject.toml"
        project.write_text(without_local(project.read_text()))
        install(tree)
        env = os.environ | {"PYTHONPATH": str(tree), "JUPYTER_GPUQUOTA_BACKEND": "memory"}
        command = [sys.executable, "-m", "pytest", *arguments]
        return subprocess.run(command, cwd=tree, env=env, check=False).returncode


def install(tree: Path) -> None:
    """Write metadata without the local backend into the tree; it overrides the environment's."""
    ours = distribution("jupyter_gpuquota")
    folder = tree / f"jupyter_gpuquota-{ours.version}.dist-info"
    folder.mkdir()
    for name in ("METADATA", "entry_points.txt"):
        (folder / name).write_text(without_local(ours.read_text(name) or ""))


def without_local(text: str) -> str:
    """Return the text of a file without the local backend's entry point."""
    lines = text.splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith("local = "))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
