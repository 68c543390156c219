"""Servers and networks fail: what passes is repeated, what remains is told, nothing is torn."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from jupyter_gpuquota.errors import Damaged, GpuQuotaError, NotAllowed, NotFound, Unavailable
from jupyter_gpuquota.store.lake import layout
from jupyter_gpuquota.store.lake.collect import collect
from jupyter_gpuquota.store.lake.connection import Connection, connect
from scripts.s3 import servers
from tests.store.living import DATASET, fetched, listing, log, synced, verified
from tests.store.s3.faulty import Fault, Faulty, Kind

pytestmark = pytest.mark.asyncio

PASSING: list[Kind] = ["busy", "reset", "truncated", "flipped", "slow", "lost"]
LASTING: list[tuple[Kind, type[GpuQuotaError], str]] = [
    ("busy", Unavailable, "does not answer as expected"),
    ("reset", Unavailable, "does not answer as expected"),
    ("lost", Unavailable, "does not answer as expected"),
    ("expired", NotAllowed, "have expired"),
    ("skewed", NotAllowed, "clock is wrong"),
    ("denied", NotAllowed, "refuses these credentials"),
]
REFUSED = pytest.mark.parametrize(("kind", "error", "text"), LASTING)
CONTENTS = "/(packs|objects)/"


@pytest.mark.parametrize("kind", PASSING)
async def test_a_sync_survives_faults_that_pass(
    lake: Connection, faulty: Faulty, folder: Path, kind: Kind
) -> None:
    for method, key in (("PUT", "packs/"), ("PUT", "commits/"), ("GET", ""), ("HEAD", "")):
        faulty.faults.append(Fault(kind, method, key, times=2))
    if kind == "flipped":
        faulty.faults = [Fault(kind, "GET", CONTENTS, times=2)]
    commit = await synced(lake, folder)
    faulty.faults.clear()
    assert await log(lake).commits(DATASET) == [commit]
    assert await verified(lake, commit.version) == []


@pytest.mark.parametrize("kind", PASSING)
async def test_a_download_survives_faults_that_pass(
    lake: Connection, faulty: Faulty, folder: Path, tmp_path: Path, kind: Kind
) -> None:
    commit = await synced(lake, folder)
    faulty.faults = [Fault(kind, "GET", "/packs/", 2), Fault(kind, "GET", "/objects/", 2)]
    tree = await fetched(lake, commit.version, tmp_path / "cache" / "v")
    assert listing(tree) == listing(folder)
    assert all(fault.times < 2 for fault in faulty.faults), "a fault was not met"


@REFUSED
async def test_a_sync_that_cannot_go_on_says_why(
    lake: Connection, faulty: Faulty, folder: Path, kind: Kind, error: type, text: str
) -> None:
    faulty.faults = [Fault(kind, "PUT", CONTENTS)]
    with pytest.raises(error, match=text) as raised:
        await synced(lake, folder)
    assert "test-secret" not in str(raised.value)
    faulty.faults.clear()
    assert await log(lake).commits(DATASET) == []
    assert not [each async for each in lake.list(layout.WRITERS)]
    commit = await synced(lake, folder)
    assert await verified(lake, commit.version) == []


@REFUSED
async def test_a_download_that_cannot_go_on_leaves_nothing(
    lake: Connection,
    faulty: Faulty,
    folder: Path,
    tmp_path: Path,
    kind: Kind,
    error: type,
    text: str,
) -> None:
    commit = await synced(lake, folder)
    faulty.faults = [Fault(kind, "GET", CONTENTS)]
    with pytest.raises(error, match=text):
        await fetched(lake, commit.version, tmp_path / "cache" / "v")
    assert not list((tmp_path / "cache").iterdir())


async def test_a_server_that_hangs_is_given_up(
    lake: Connection, faulty: Faulty, folder: Path
) -> None:
    impatient = connect(
        "s3://b/lake",
        **servers.config(faulty.endpoint),
        client_options={"read_timeout": timedelta(seconds=1)},
        retry_config={"max_retries": 1},
    )
    faulty.faults = [Fault("hangs", "PUT", CONTENTS)]
    with pytest.raises(Unavailable, match="does not answer as expected"):
        await synced(impatient, folder)
    faulty.faults.clear()
    assert await log(lake).commits(DATASET) == []


@pytest.mark.parametrize("kind", ["truncated", "flipped"])
async def test_a_body_that_is_never_whole_is_never_published(
    lake: Connection, faulty: Faulty, folder: Path, tmp_path: Path, kind: Kind
) -> None:
    commit = await synced(lake, folder)
    faulty.faults = [Fault(kind, "GET", CONTENTS)]
    with pytest.raises((Damaged, Unavailable)):
        await fetched(lake, commit.version, tmp_path / "cache" / "v")
    assert not list((tmp_path / "cache").iterdir())


@pytest.mark.parametrize("prefix", [layout.PACKS, layout.OBJECTS])
async def test_verify_names_what_is_damaged_or_missing(
    lake: Connection, faulty: Faulty, folder: Path, prefix: str
) -> None:
    commit = await synced(lake, folder)
    keys = [key for key in faulty.objects if f"/{prefix}" in key and ".index" not in key]
    body, written = faulty.objects[keys[0]]
    faulty.objects[keys[0]] = (bytes([body[0] ^ 1]) + body[1:], written)
    bad = await verified(lake, commit.version)
    assert {each.problem for each in bad} == {"is damaged in the lake"}
    first = [f"train/{number}.txt" for number in (0, 100, 200)]
    assert [each.path for each in bad] == (["large"] if prefix == layout.OBJECTS else first)
    for key in keys:
        del faulty.objects[key]
    bad = await verified(lake, commit.version)
    assert {each.problem for each in bad} == {"is missing in the lake"}
    assert len(bad) == (1 if prefix == layout.OBJECTS else 300)


@pytest.mark.parametrize("hours", [-30, 30])
async def test_clocks_that_differ_do_no_harm(
    lake: Connection, faulty: Faulty, folder: Path, hours: int
) -> None:
    faulty.skew = timedelta(hours=hours)
    first = await synced(lake, folder)
    (folder / "train" / "0.txt").write_text("changed")
    second = await synced(lake, folder)
    assert [each.version for each in await log(lake).commits(DATASET)] == [
        first.version,
        second.version,
    ]
    await lake.delete([layout.commit(DATASET, 2)])
    assert (await collect(lake, log(lake))).objects == 0, "all is young by the lake's clock"
    faulty.age("lake/", timedelta(hours=2))
    assert (await collect(lake, log(lake))).objects == 3
    assert await verified(lake, first.version) == []


async def test_a_commit_whose_answer_was_lost_is_not_made_twice(
    lake: Connection, faulty: Faulty, folder: Path
) -> None:
    faulty.faults = [Fault("lost", "PUT", "commits/", times=1)]
    commit = await synced(lake, folder)
    assert await log(lake).commits(DATASET) == [commit]


async def test_what_does_not_exist_is_not_repeated(lake: Connection, faulty: Faulty) -> None:
    with pytest.raises(NotFound):
        await lake.get("nothing")
    assert faulty.requests["GET"] == 1
