"""What has produced a folder."""

from __future__ import annotations

import subprocess
from pathlib import Path

from jupyter_gpuquota.jobs.verbs.sync import origin_of

_WHO = ("-c", "user.name=me", "-c", "user.email=me@example.org", "-c", "commit.gpgsign=false")


def git(folder: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", *_WHO, *words], cwd=folder, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


def test_a_commit_is_found_from_inside_its_repository(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    inside = tmp_path / "data"
    inside.mkdir()
    assert origin_of(inside, {}) == ""
    git(tmp_path, "commit", "-q", "--allow-empty", "-m", "first")
    commit = git(tmp_path, "rev-parse", "HEAD")
    assert origin_of(inside, {}) == f"commit:{commit}"
    assert origin_of(inside, {"GPUQUOTA_SESSION": "s1"}) == f"session:s1 commit:{commit}"


def test_what_is_not_known_is_left_out(tmp_path: Path) -> None:
    assert origin_of(tmp_path / "gone", {"GPUQUOTA_SESSION": "s1"}) == "session:s1"
    assert origin_of(tmp_path, {}) == ""
