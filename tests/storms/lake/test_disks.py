"""The disk of the catalog and of temporary files is full: the sync says so, and nothing is torn."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from tests.storms.lake.place import ROOT, Place

pytestmark = [pytest.mark.asyncio, pytest.mark.timeout(7200)]


@pytest.mark.parametrize("what", ["catalog", "temporary", "lake"])
async def test_a_full_disk_is_told(place: Place, own_disk, tmp_path: Path, what: str) -> None:
    for number in range(3000):
        (place.folder / "0" / f"a-name-that-takes-much-room-in-any-list-{number}").touch()
    disk = tmp_path / "disk"
    lakes = {
        "catalog": [disk / "catalog.db", place.folder, place.url],
        "temporary": [place.catalog, place.folder, place.url],
        "lake": [place.catalog, place.folder, f"file://{disk}"],
    }
    variables = f"TMPDIR={disk}" if what == "temporary" else f"PATH={tmp_path}"
    module = ["-m", "tests.storms.lake.program", "sync", *map(str, lakes[what])]
    words = [*own_disk("size=80k"), "env", variables, sys.executable, *module]
    done = await asyncio.create_subprocess_exec(*words, cwd=ROOT, stdout=asyncio.subprocess.PIPE)
    said = (await done.communicate())[0].decode()
    assert done.returncode == 1, said
    assert said.startswith("StorageFailed: "), said
    assert "full" in said
    assert await place.versions() == 0
    assert place.run("sync")[0] == 0
    assert await place.problems() == []
