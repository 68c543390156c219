"""The record of which sessions have used which versions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from jupyter_gpuquota.control.datasets.uses import UseLog
from jupyter_gpuquota.model.datasets.mounts import DataMount
from jupyter_gpuquota.model.sessions import Session
from tests.builders import make_session

pytestmark = pytest.mark.asyncio

V1, V2 = "1" * 64, "2" * 64


def using(name: str, *versions: str, state: Any = "running") -> Session:
    """Return a session that uses versions of `faces`."""
    data = tuple(DataMount(dataset="faces", version=each, path=f"/{each[:1]}") for each in versions)
    return make_session(name, state=state, data=data)


async def uses(log: UseLog) -> list[tuple[str, str]]:
    """Return the sessions and the versions that they have used."""
    return [(use.name, use.version[:1]) for use in await log.of("faces")]


async def opened(path: Path | None, most: int = 10) -> UseLog:
    """Return a log that was read."""
    log = UseLog(path, most)
    await log.start()
    return log


@pytest.mark.parametrize("kept", [True, False])
async def test_a_use_is_noted_once_when_the_session_starts(tmp_path: Path, *, kept: bool) -> None:
    path = tmp_path / "data/uses.ndjson" if kept else None
    log = await opened(path)
    log.follow([using("a", V1, state="waiting")])
    assert await uses(log) == []
    for _ in range(3):
        log.follow([using("a", V1, V2), make_session("b", state="running")])
    await log.close()
    noted = [("a", "1"), ("a", "2")]
    assert await uses(log) == noted
    assert await log.of("cats") == ()
    assert await uses(await opened(path)) == (noted if kept else [])


async def test_the_oldest_uses_go_first(tmp_path: Path) -> None:
    path = tmp_path / "uses.ndjson"
    log = await opened(path, 3)
    for number in range(8):
        log.follow([using(f"s{number}", V1)])
    await log.close()
    wanted = [(f"s{number}", "1") for number in (5, 6, 7)]
    assert await uses(log) == wanted
    assert await uses(await opened(path, 3)) == wanted


async def test_a_damaged_line_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "uses.ndjson"
    log = await opened(path)
    log.follow([using("a", V1)])
    await log.close()
    path.write_bytes(b"{}\n" + path.read_bytes() + b'{"cut')
    again = await opened(path)
    again.follow([using("b", V1)])
    await again.close()
    assert await uses(await opened(path)) == [("a", "1"), ("b", "1")]


async def test_what_cannot_be_written_is_written_with_the_next(tmp_path: Path) -> None:
    path = tmp_path / "uses.ndjson"
    log = await opened(path)
    path.unlink()
    path.mkdir()
    log.follow([using("a", V1)])
    await log.close()
    assert await uses(log) == [("a", "1")]
    path.rmdir()
    path.touch()
    log.follow([using("b", V1)])
    await log.close()
    assert await uses(await opened(path)) == [("a", "1"), ("b", "1")]


async def test_nothing_is_noted_before_the_file_was_read(tmp_path: Path) -> None:
    path = tmp_path / "uses.ndjson"
    log = await opened(path)
    log.follow([using("a", V1)])
    await log.close()
    again = UseLog(path)
    again.follow([using("b", V1)])
    await again.start()
    again.follow([using("c", V1)])
    await again.close()
    assert await uses(await opened(path)) == [("a", "1"), ("c", "1")]
