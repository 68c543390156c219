"""A snapshot of a folder with very many files: whole, and the second one follows its change."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.jobs.conftest import lake, lake_url
from tests.jobs.snapshots.taken import manifests, order
from tests.jobs.snapshots.test_snapshots import Take, made, take, words
from tests.store.living import fetched, verified

__all__ = ["lake", "lake_url", "take", "words"]

pytestmark = [pytest.mark.asyncio, pytest.mark.timeout(7200)]

ALL, QUICK = 200_000, 500
PER_FOLDER = 100
SIZE = 100


def _file(folder: Path, number: int) -> Path:
    return folder / f"part-{number // PER_FOLDER}" / f"{number}.txt"


def _text(number: int, version: int) -> str:
    return f"{number} {version}".ljust(SIZE)


async def test_very_many_files_are_stored_and_restored(
    take: Take, lake, rounds, tmp_path: Path
) -> None:
    count, folder = rounds(ALL, QUICK), tmp_path / "work"
    for number in range(count):
        path = _file(folder, number)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_text(number, 1))
    first = made(take(order(folder)))["snapshot"]
    changed = range(0, count, 100)
    for number in changed:
        _file(folder, number).write_text(_text(number, 2))
    second = made(take(order(folder)))["snapshot"]
    found = await manifests(lake)
    one, two = found[first].tree, found[second].tree
    assert one.files == two.files >= count
    assert len(changed) * SIZE <= two.added < one.added / 5
    assert await verified(lake, two.version) == []
    tree = await fetched(lake, two.version, tmp_path / "restored")
    for number in range(count):
        assert _file(tree, number).read_text() == _text(number, 2 - bool(number % 100))
