"""A job reports to the controller, waits for its turn, and does what the answers say."""

from __future__ import annotations

import base64
import json
import os
import signal
from pathlib import Path

import pytest

from jupyter_gpuquota.store import manifest
from jupyter_gpuquota.store.cache import records
from jupyter_gpuquota.store.cache.places import place
from jupyter_gpuquota.store.cache.records import Fetching
from jupyter_gpuquota.store.processes import Owner
from tests.jobs.conftest import Controller, Start
from tests.store.living import listing
from tests.waiting import wait_for

pytestmark = pytest.mark.asyncio

BIG = 64 << 30


@pytest.fixture
def big(tmp_path: Path) -> Path:
    """Return a folder with one file whose hashing takes very long; it takes no room."""
    folder = tmp_path / "big"
    folder.mkdir()
    with (folder / "zeros").open("wb") as file:
        file.truncate(BIG)
    return folder


async def test_a_sync_is_reported_from_its_turn_to_its_end(
    start: Start, controller: Controller, folder: Path
) -> None:
    controller.answers = {"state": "waiting"}
    job = start("sync", "--job=j1", "--", "faces", folder, **controller.environment)
    await wait_for(lambda: len(controller.heard) > 2)
    assert controller.states == ["waiting"]
    assert not controller.commits
    controller.answers = {"state": "running"}
    code, lines, log = job.end()
    assert (code, lines) == (0, []), log
    assert controller.states[0] == "waiting"
    assert controller.states[-1] == "done"
    last = controller.heard[-1]
    assert (last["kind"], last["dataset"], last["files"]) == ("sync", "faces", 302)
    assert (last["pid"], last["host"]) == (job.pid, os.uname().nodename)
    assert last["begun"] > 0
    ((version, commit),) = controller.commits
    assert (version, commit["files"], commit["manifest"]) == (last["version"], 302, "")


async def test_the_manifest_is_sent_where_only_the_member_reads_the_lake(
    start: Start, controller: Controller, folder: Path
) -> None:
    controller.own_lake = True
    sync = start("sync", "faces", folder, **controller.environment)
    assert sync.end()[0] == 0
    register = start("register", "faces", **controller.environment)
    assert register.end()[0] == 0
    (first, one), (second, other) = controller.commits
    assert (first, one) == (second, other)
    body = base64.b64decode(one["manifest"])
    assert sum(entry.is_file for entry, _ in manifest.decode([body], first)) == 302


async def test_signs_of_life_are_given_while_one_large_file_is_hashed(
    start: Start, controller: Controller, big: Path
) -> None:
    job = start("sync", "faces", big, **controller.environment)
    await wait_for(lambda: [each for each in controller.heard if each["all_files"]])
    first = controller.heard[-1]["done"]
    await wait_for(lambda: controller.heard[-1]["done"] > first or not job.runs)
    assert controller.heard[-1]["files"] == 0, "it is being hashed"
    assert controller.heard[-1]["done"] < BIG
    job.signal(signal.SIGKILL)


@pytest.mark.parametrize("way", ["answer", "SIGINT", "SIGTERM"])
async def test_a_job_is_cancelled(
    start: Start, controller: Controller, big: Path, way: str
) -> None:
    job = start("sync", "faces", big, **controller.environment)
    await wait_for(lambda: [each for each in controller.heard if each["all_files"]])
    if way == "answer":
        controller.answers = {"state": "running", "cancelling": True}
    else:
        job.signal(signal.Signals[way])
    code, _, log = job.end()
    assert code == 130, log
    assert controller.states[-1] == "cancelled"
    assert controller.heard[-1]["problem"] is None
    assert not controller.commits


async def test_a_job_that_waits_is_cancelled(
    start: Start, controller: Controller, folder: Path
) -> None:
    controller.answers = {"state": "waiting", "cancelling": True}
    job = start("sync", "faces", folder, **controller.environment)
    assert job.end()[0] == 130
    assert controller.states == ["waiting", "cancelled"]


async def test_a_job_that_is_not_admitted_fails_with_the_reason(
    start: Start, controller: Controller, folder: Path, tmp_path: Path
) -> None:
    problem = {"code": "Conflict", "message": "The cache is full.", "hint": "Clear something."}
    controller.answers = {"state": "failed", "problem": problem}
    words = ("cache", f"faces@{'0' * 64}")
    code, _, log = start(*words, **controller.environment).end()
    assert code == 4
    assert "The cache is full." in log
    assert controller.heard[0]["size"] == 4321, "that is what was asked for"
    assert not (tmp_path / "cache").exists()


async def test_the_work_goes_on_while_the_controller_is_restarted(
    start: Start, controller: Controller, big: Path
) -> None:
    job = start("sync", "faces", big, **controller.environment)
    await wait_for(lambda: "running" in controller.states)
    controller.down = True
    asked, count = controller.asked, len(controller.heard)
    await wait_for(lambda: controller.asked > asked + 2)
    assert job.runs
    controller.down = False
    await wait_for(lambda: len(controller.heard) > count)
    controller.answers = {"state": "running", "cancelling": True}
    assert job.end()[0] == 130


async def test_jobs_give_way_to_other_processes(
    start: Start, controller: Controller, folder: Path
) -> None:
    controller.answers = {"state": "waiting"}
    job = start("sync", "faces", folder, **controller.environment)
    await wait_for(lambda: controller.heard)
    assert os.getpriority(os.PRIO_PROCESS, job.pid) >= os.getpriority(os.PRIO_PROCESS, 0) + 10


async def test_the_lake_and_the_cache_are_those_of_the_controller(
    start: Start, controller: Controller, folder: Path, tmp_path: Path
) -> None:
    assert start("sync", "faces", folder, **controller.environment).end()[0] == 0
    named = f"faces@{controller.heard[-1]['version']}"
    for words in (("cache", named), ("verify", named), ("export", named, tmp_path / "out")):
        code, _, log = start(*words, **controller.environment).end()
        assert code == 0, log
    assert (tmp_path / "cache" / "faces").is_dir()
    assert listing(tmp_path / "out") == listing(folder)
    controller.cache = ""
    code, _, log = start("cache", named, **controller.environment).end()
    assert code == 7
    problem = json.loads(log.splitlines()[-1])
    assert (problem["code"], controller.heard[-1]["problem"]["code"]) == ("Unsupported",) * 2


async def test_a_fetch_that_waits_for_another_machine_is_cancelled(
    start: Start, controller: Controller, folder: Path, tmp_path: Path
) -> None:
    assert start("sync", "faces", folder, **controller.environment).end()[0] == 0
    there = place(tmp_path / "cache", "faces", controller.heard[-1]["version"])
    owner = Owner(host="elsewhere", pid=1, start=1, space="another machine")
    other = there.side / "fetching" / "x.json"
    records.write(other, Fetching(job="x", owner=owner, since=1, size=100, done=43))
    job = start("cache", f"faces@{there.version}", **controller.environment)
    await wait_for(lambda: controller.heard[-1]["done"] == 43)
    job.signal(signal.SIGTERM)
    code, _, log = job.end()
    assert code == 130, log
    assert controller.states[-1] == "cancelled"
    assert [path for path in there.root.rglob("*") if path.is_file()] == [other]


async def test_a_job_that_never_hears_a_controller_waits_for_it(
    start: Start, controller: Controller, folder: Path
) -> None:
    controller.down = True
    job = start("sync", "faces", folder, **controller.environment)
    await wait_for(lambda: controller.asked > 3)
    assert not controller.commits
    controller.down = False
    assert job.end()[0] == 0
    assert controller.states[0] == "waiting"
