"""Folders that a process works in: what killed ones have left is removed, and nothing else."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from jupyter_gpuquota.store.processes import room

pytestmark = pytest.mark.asyncio

WORKS = """
import asyncio, sys
from pathlib import Path
from jupyter_gpuquota.store.processes import room

async def main():
    async with room(Path(sys.argv[1]), sys.argv[2]) as place:
        (place / "file").touch()
        print("works", flush=True)
        await asyncio.sleep(1000)

asyncio.run(main())
"""


async def test_a_room_is_gone_afterwards(tmp_path: Path) -> None:
    async def fail() -> None:
        async with room(tmp_path / "room-1", "room-") as place:
            (place / "a").mkdir()
            raise RuntimeError

    with pytest.raises(RuntimeError):
        await fail()
    assert not list(tmp_path.iterdir())


async def test_what_killed_processes_have_left_goes_and_what_works_stays(tmp_path: Path) -> None:
    others = []
    for name in ("room-dead", "room-alive"):
        words = [sys.executable, "-c", WORKS, str(tmp_path / name), "room-"]
        pipe = asyncio.subprocess.PIPE
        others.append(await asyncio.create_subprocess_exec(*words, stdout=pipe))
        assert others[-1].stdout
        assert await others[-1].stdout.readline() == b"works\n"
    others[0].kill()
    await others[0].communicate()
    (tmp_path / "room-file").touch()
    (tmp_path / "other").mkdir()
    try:
        async with room(tmp_path / "room-new", "room-"):
            left = {each.name for each in tmp_path.iterdir()}
    finally:
        others[1].kill()
        await others[1].communicate()
    assert left == {"room-alive", "room-new", "room-file", "other"}


async def test_many_at_once_do_not_sweep_each_other(tmp_path: Path) -> None:
    async def work(number: int) -> None:
        for turn in range(20):
            async with room(tmp_path / f"room-{number}-{turn}", "room-") as place:
                (place / "file").touch()

    await asyncio.gather(*map(work, range(4)))
    assert not list(tmp_path.iterdir())
