"""Where a snapshot is restored, and what is found there."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any, cast

import pytest
from msgspec.structs import replace

from jupyter_gpuquota.control.snapshots.folders import DiskFolders
from jupyter_gpuquota.control.snapshots.registry import Registry
from jupyter_gpuquota.control.snapshots.restores import Finding
from jupyter_gpuquota.core.snapshots.restore import Found
from jupyter_gpuquota.model.snapshots.manifest import EnvironmentPart, Manifest
from jupyter_gpuquota.model.snapshots.restore import RestoreRequest
from tests.builders import NOW, make_spec

pytestmark = pytest.mark.asyncio


async def found(root: Path, old: Path, request: RestoreRequest | None = None, **spec: Any) -> Found:
    """Return what is found for a restore of a snapshot of a folder."""
    manifest = Manifest(
        session="s1",
        name="exp",
        project="team-a",
        owner="ana",
        author="ana",
        created=NOW,
        spec=replace(make_spec(), folder=str(old), **spec),
        environment=EnvironmentPart(packages={"pytest": "1"}),
    )
    # Without files, no lake is asked.
    finding = Finding(cast("Registry", None), DiskFolders(str(root)))
    return await finding.found(manifest, request or RestoreRequest(), "new")


async def test_the_new_folder_is_beside_the_old_one(tmp_path):
    (tmp_path / "exp").mkdir()
    assert (await found(tmp_path, tmp_path / "exp")).folder == str(tmp_path / "new")


async def test_a_snapshot_of_the_root_is_restored_below_it(tmp_path):
    seen = await found(tmp_path, tmp_path)
    assert (seen.folder, seen.problems) == (str(tmp_path / "new"), {})


async def test_a_root_that_is_a_link_is_known(tmp_path):
    home = tmp_path / "disk/home"
    home.mkdir(parents=True)
    (tmp_path / "home").symlink_to(home)
    assert (await found(tmp_path / "home", home)).folder == str(home / "new")


async def test_where_nothing_can_be_made_the_root_does(tmp_path):
    gone = tmp_path / "gone/exp"
    assert (await found(tmp_path, gone)).folder == str(tmp_path / "new")


async def test_a_folder_that_is_named_is_taken(tmp_path):
    request = RestoreRequest(folder=str(tmp_path / "x"))
    assert (await found(tmp_path, tmp_path, request)).folder == str(tmp_path / "x")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
async def test_beside_what_may_not_be_written_the_root_does(tmp_path):
    (tmp_path / "data/exp").mkdir(parents=True)
    (tmp_path / "data").chmod(0o555)
    seen = await found(tmp_path, tmp_path / "data/exp")
    assert seen.folder == str(tmp_path / "new")


async def test_what_is_installed_now_is_found(tmp_path):
    seen = await found(tmp_path, tmp_path, environment=sys.prefix)
    assert seen.environment
    assert "pytest" in seen.environment.packages
    without = RestoreRequest(launch=False)
    assert (await found(tmp_path, tmp_path, without, environment=sys.prefix)).environment is None
