"""What is installed in a Python environment, as pip, uv and conda have written it."""

from __future__ import annotations

import json
import platform
import subprocess
import sys
import venv
from collections.abc import Callable
from pathlib import Path

import pytest

from jupyter_gpuquota.control.snapshots import previews
from jupyter_gpuquota.control.snapshots.installed import packages, python_of, unstored
from jupyter_gpuquota.control.snapshots.parts import origin
from jupyter_gpuquota.core.snapshots import environment
from tests.jobs.snapshots.taken import git

COMMIT = "9c1f0b7d2e449c1f0b7d2e449c1f0b7d2e449c1f"
TOKEN = "ghp_" + "s3cr3t" * 6


@pytest.fixture
def prefix(tmp_path: Path) -> Path:
    """A virtual environment without packages."""
    venv.create(tmp_path / "env", symlinks=True)
    return tmp_path / "env"


@pytest.fixture
def install(prefix: Path) -> Callable[..., Path]:
    """Install a package by writing what an installer writes."""
    (place,) = prefix.glob("lib/python3*/site-packages")

    def run(name: str, version: str, direct: object = None) -> Path:
        for old in place.glob(f"{name}-*.dist-info"):
            for each in old.iterdir():
                each.unlink()
            old.rmdir()
        folder = place / f"{name}-{version}.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Name: {name}\nVersion: {version}\n")
        if direct is not None:
            text = direct if isinstance(direct, str) else json.dumps(direct)
            (folder / "direct_url.json").write_text(text)
        return folder

    return run


def found(prefix: Path) -> dict[str, object]:
    return packages(python_of(str(prefix)), origin)


def test_the_python_and_its_packages_are_named(prefix, install):
    install("tomli", "2.0.0")
    assert found(prefix) == {
        "python": platform.python_version(),
        "implementation": platform.python_implementation(),
        "packages": {"tomli": "2.0.0"},
        "sources": {},
        "conda": [],
    }


@pytest.mark.parametrize(
    ("direct", "source"),
    [
        (
            {
                "url": f"https://ana:{TOKEN}@github.com/a/b.git",
                "vcs_info": {"vcs": "git", "requested_revision": "main", "commit_id": COMMIT},
                "subdirectory": "py",
            },
            {
                "url": "https://github.com/a/b.git",
                "vcs": "git",
                "commit": COMMIT,
                "subdirectory": "py",
            },
        ),
        (
            {"url": "https://h/x.whl", "archive_info": {"hashes": {"sha256": "ab"}}},
            {"url": "https://h/x.whl", "sha256": "ab"},
        ),
        (
            {"url": "https://h/x.whl", "archive_info": {"hash": "sha256=cd"}},
            {"url": "https://h/x.whl", "sha256": "cd"},
        ),
        (
            {"url": "https://h/x.whl", "archive_info": {}},
            {"url": "https://h/x.whl"},
        ),
        ({"url": "file:///home/x", "dir_info": {}}, {"url": "file:///home/x"}),
        (
            {"url": "file:///nowhere", "dir_info": {"editable": True}},
            {"url": "file:///nowhere", "editable": True},
        ),
        ("no json", None),
        ({"archive_info": {}}, None),
        ("[]", None),
        ({"url": "https://h/x", "vcs_info": "git"}, None),
        ({"url": "https://h/x", "archive_info": ["a"]}, None),
        ('{"a":' * 100_000, None),
    ],
)
def test_where_a_package_came_from_is_known(prefix, install, direct, source):
    install("x", "1.0", direct)
    assert found(prefix)["sources"] == ({"x": source} if source else {})
    assert found(prefix)["packages"] == {"x": "1.0"}


def test_an_editable_package_has_the_commit_of_its_folder(prefix, install, tmp_path):
    top = tmp_path / "my code"
    (top / "py").mkdir(parents=True)
    git(top, "init")
    (top / "py/x.py").write_text("1\n")
    git(top, "add", ".")
    git(top, "commit", "-m", "first")
    git(top, "remote", "add", "origin", f"https://ana:{TOKEN}@example.org/a.git")
    url = (top / "py").as_uri()
    install("x", "1.0", {"url": url, "dir_info": {"editable": True}})
    head = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=top, capture_output=True, text=True, check=True
    )
    source = {
        "url": url,
        "editable": True,
        "commit": head.stdout.strip(),
        "remote": "https://example.org/a.git",
        "subdirectory": "py",
        "dirty": False,
    }
    assert found(prefix)["sources"] == {"x": source}
    assert list(unstored(found(prefix), tmp_path / "work")) == []
    (top / "py/x.py").write_text("2\n")
    assert found(prefix)["sources"] == {"x": {**source, "dirty": True}}
    why = "x runs from there, and its changes are not committed."
    assert list(unstored(found(prefix), tmp_path / "work")) == [(str(top / "py"), why)]
    assert list(unstored(found(prefix), tmp_path)) == [], "they are in the snapshot"


def test_what_conda_has_written_is_recorded(prefix, install):
    records = prefix / "conda-meta"
    records.mkdir()
    (records / "history").write_text("")
    (records / "broken.json").write_text("{")
    record = {
        "name": "numpy",
        "version": "1.26.4",
        "build": "py311_0",
        "channel": "https://conda.anaconda.org/t/tk-123-abc/private",
        "url": "https://conda.anaconda.org/t/tk-123-abc/private/linux-64/numpy.conda",
        "md5": "0" * 32,
        "sha256": "1" * 64,
        "files": [
            "lib/python3.11/site-packages/numpy-1.26.4.dist-info/METADATA",
            "lib/python3.11/site-packages/numpy/__init__.py",
        ],
    }
    (records / "numpy-1.26.4-py311_0.json").write_text(json.dumps(record))
    (known,) = found(prefix)["conda"]
    assert known["provides"] == ["numpy"]
    assert known["url"] == "https://conda.anaconda.org/t/***/private/linux-64/numpy.conda"
    assert (known["version"], known["build"], known["md5"]) == ("1.26.4", "py311_0", "0" * 32)
    assert "tk-123-abc" not in json.dumps(found(prefix))


def test_of_two_of_a_name_the_one_counts_that_is_imported(prefix, install, tmp_path):
    install("x", "2.0")
    other = tmp_path / "other/x-1.0.dist-info"
    other.mkdir(parents=True)
    (other / "METADATA").write_text("Name: x\nVersion: 1.0\n")
    (place,) = prefix.glob("lib/python3*/site-packages")
    (place / "other.pth").write_text(f"{other.parent}\n")
    assert found(prefix)["packages"] == {"x": "2.0"}


def test_an_environment_that_was_changed_in_place_differs(prefix, install):
    install("tomli", "2.0.0")
    then = previews.environment(str(prefix))
    assert then
    install("tomli", "2.0.2")
    now = previews.environment(str(prefix))
    assert now
    assert environment.differences(then, now) == [
        "Other versions of packages are there now (1): tomli 2.0.2 (was 2.0.0)."
    ]


def test_what_is_gone_or_broken_is_not_known(prefix):
    assert previews.environment("/nowhere") is None
    python = prefix / "bin/python"
    python.unlink()
    python.write_text("#!/bin/false\n")
    python.chmod(0o755)
    assert previews.environment(str(prefix)) is None


def test_the_environment_of_these_tests_is_known_whole():
    whole = previews.environment(sys.prefix)
    assert whole
    assert "pytest" in whole.packages
    assert whole.sources["jupyter_gpuquota"].editable
