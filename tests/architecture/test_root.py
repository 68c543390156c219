"""The root has the files that belong there, and no others."""

from __future__ import annotations

from subprocess import run

from tests.architecture.sources import ROOT

FOLDERS = {
    ".ci",
    "benchmarks",
    "binder",
    "demo",
    "deploy",
    "docs",
    "jupyter-config",
    "jupyter_gpuquota",
    "labextension",
    "notebooks",
    "scripts",
    "tests",
}
FILES = {
    ".gitignore",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "LICENSE",
    "Makefile",
    "README.md",
    "conftest.py",
    "install.json",
    "pyproject.toml",
}


def test_the_root_has_the_files_that_belong_there():
    listed = run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert {path.partition("/")[0] for path in listed.stdout.splitlines()} == FOLDERS | FILES
