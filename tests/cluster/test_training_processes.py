"""Trainings of several processes: Kueue admits all or none, and the pods are real processes."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from jupyter_gpuquota.errors import InvalidFields
from jupyter_gpuquota.model.sessions import LogQuery, Session, SessionRequest
from tests.cluster.teams import Teams, make_priorities
from tests.cluster.test_whole import ANA, place
from tests.contract.helpers import until
from tests.fakes import ask
from tests.waiting import wait_for

pytestmark = pytest.mark.asyncio

FAIL_ONE = """
import os, sys, time
assert os.environ["WORLD_SIZE"] == os.environ["PET_NNODES"] == "2"
assert os.environ["MASTER_ADDR"].startswith(os.environ["HOSTNAME_WANTED"])
assert os.environ["RANK"] == os.environ["JOB_COMPLETION_INDEX"] == os.environ["PET_NODE_RANK"]
if os.environ["RANK"] == "1":
    sys.exit(int(os.environ["CODE"]))
time.sleep(float(os.environ["LASTS"]))
"""


def request(name: str, project: str, count: int = 2, **env: str) -> SessionRequest:
    return SessionRequest(
        name=name,
        project=project,
        gpu="1",
        kind="train",
        processes=count,
        command=("python", "-c", FAIL_ONE),
        env={"HOSTNAME_WANTED": f"gpu-{name}-0", "CODE": "0", "LASTS": "0", **env},
    )


async def launch(backend: Any, asked: SessionRequest) -> Session:
    made: Session = await ask(backend, "sessions.create", ANA, body=asked)
    return made


async def test_processes_start_and_end_together(kubelet: Any, teams: Teams, tmp_path: Path) -> None:
    make_priorities(kubelet.rest())
    team = await asyncio.to_thread(teams.with_kueue, "team-a", 3000, processes=True, limit=0)
    ours = team.namespace
    async with place(kubelet, tmp_path, ours) as backend:
        await wait_for(lambda: len(backend.inventory.projects()) == 1)
        done = await launch(backend, request("done", ours))
        assert (await until(backend, done.id, "done")).exit is not None

        failed = await launch(backend, request("failed", ours, CODE="7", LASTS="600"))
        after = await until(backend, failed.id, "failed")
        assert after.reason is not None
        assert after.reason.message.startswith("Process 1 of 2 exited with code 7")

        stays = {"LASTS": "600", "CODE": "0"}
        none_of_it = request("none-of-it", ours, 4, **stays)
        with pytest.raises(InvalidFields):
            await launch(backend, none_of_it)


async def test_all_are_counted_and_all_wait(kubelet: Any, teams: Teams, tmp_path: Path) -> None:
    make_priorities(kubelet.rest())
    team = await asyncio.to_thread(teams.with_kueue, "team-a", 3000, limit=0)
    ours = team.namespace
    async with place(kubelet, tmp_path, ours) as backend:
        await wait_for(lambda: len(backend.inventory.projects()) == 1)
        first = await launch(backend, request("first", ours))
        running = await until(backend, first.id, "running")
        assert running.placement is not None
        assert running.placement.milli == 2000
        quota = await ask(backend, "quota.get", ANA)
        [use] = [each for each in quota.projects if each.name == ours]
        assert use.allocated == 2000

        told = await ask(backend, "sessions.preview", ANA, body=request("second", ours))
        assert told.verdict == "waits"
        second = await launch(backend, request("second", ours))
        waits = await until(backend, second.id, lambda s: s.reason is not None)
        assert waits.state == "waiting"
        pods = f"/api/v1/namespaces/{ours}/pods"
        found = kubelet.rest().get(pods)["items"]
        assert [each for each in found if "second" in each["metadata"]["name"]] == []

        await ask(backend, "sessions.stop", ANA, args={"id": first.id})
        await until(backend, first.id, "stopped")
        await until(backend, second.id, "running")
        found = kubelet.rest().get(pods)["items"]
        assert [each for each in found if "first" in each["metadata"]["name"]] == []


async def test_a_reclaimed_training_gives_back_all_and_waits(
    kubelet: Any, teams: Teams, tmp_path: Path
) -> None:
    make_priorities(kubelet.rest())
    ours = (await asyncio.to_thread(teams.with_kueue, "team-a", 1000)).namespace
    others = (await asyncio.to_thread(teams.with_kueue, "team-b", 1000)).namespace
    async with place(kubelet, tmp_path, ours, others) as backend:
        await wait_for(lambda: len(backend.inventory.projects()) == 2)
        borrower = await launch(backend, request("borrower", ours))
        await until(backend, borrower.id, "running")
        taker = await launch(backend, request("taker", others, 1))
        await until(backend, taker.id, "running")
        gone = await until(backend, borrower.id, lambda s: s.state == "waiting")
        assert gone.reclaimed is not None
        assert gone.reclaimed.project == others
        assert gone.placement is None
        await ask(backend, "sessions.stop", ANA, args={"id": taker.id})
        again = await until(backend, borrower.id, "running")
        assert (again.run, again.placement and again.placement.milli) == (2, 2000)


async def test_with_a_resource_quota_they_start_once_there_is_quota_for_all(
    kubelet: Any, teams: Teams, tmp_path: Path
) -> None:
    quota = {"requests.nvidia.com/gpu": "3"}
    made = await asyncio.to_thread(teams.with_quota, "team-a", quota, processes=True)
    ours, name = made.namespace, "first"
    say = "import os, time; print('rank', os.environ['RANK'], flush=True); time.sleep(600)"
    asked = replace(request(name, ours), command=("python", "-c", say))
    async with place(kubelet, tmp_path, ours, engine="resourcequota") as backend:
        await wait_for(lambda: len(backend.inventory.projects()) == 1)
        told = await ask(backend, "sessions.preview", ANA, body=asked)
        assert told.verdict == "fits"
        assert "start one by one" in told.message
        first = await launch(backend, asked)
        await until(backend, first.id, "running")
        assert await printed(backend, first, 0) == "rank 0\n"
        assert await printed(backend, first, 1) == "rank 1\n"
        with pytest.raises(InvalidFields):
            await printed(backend, first, 2)

        second = await launch(backend, replace(asked, name="second"))
        waits = await until(backend, second.id, lambda s: s.reason is not None)
        assert waits.state == "waiting"
        pods = kubelet.rest().get(f"/api/v1/namespaces/{ours}/pods")["items"]
        assert [each for each in pods if "second" in each["metadata"]["name"]] == []
        await ask(backend, "sessions.stop", ANA, args={"id": first.id})
        await until(backend, second.id, "running")


async def printed(backend: Any, session: Session, process: int) -> str:
    """Return the log of a process once it has printed something."""
    seen = ""

    async def said() -> bool:
        nonlocal seen
        query = LogQuery(process=process)
        chunk = await ask(backend, "sessions.log", ANA, args={"id": session.id}, query=query)
        seen = chunk.text
        return bool(seen)

    await wait_for(said)
    return seen
