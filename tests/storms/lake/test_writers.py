"""Several machines work on one lake at once: no version is lost, and none lacks an object."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.storms.lake.place import Place

pytestmark = [pytest.mark.asyncio, pytest.mark.timeout(7200)]


async def test_two_writers_and_a_collector(any_place: Place, rounds, show, tmp_path: Path) -> None:
    """Each round syncs two folders to one dataset at once, and collects meanwhile."""
    place = any_place
    other = tmp_path / "other"
    collected = refused = 0
    count = rounds(200)
    for number in range(count):
        kept = await place.versions()
        place.change()
        shutil.rmtree(other, ignore_errors=True)
        shutil.copytree(place.folder, other)
        (other / "own").write_text(f"of the other {number}")
        (place.folder / "own").write_text(f"of the first {number}")
        both = [place.start("sync"), place.start("sync", folder=other)]
        collector = place.start("collect")
        for process in both:
            said, _ = process.communicate()
            assert process.returncode == 0, said
        said, _ = collector.communicate()
        assert collector.returncode == 0 or said.startswith("Conflict"), said
        collected += collector.returncode == 0
        refused += collector.returncode != 0
        assert await place.versions() == kept + 2
        assert await place.problems() == []
    assert place.run("collect")[0] == 0
    assert await place.problems() == []
    show(f"two writers and a collector on {place.url[:4]}", {"rounds": count, "refused": refused})
