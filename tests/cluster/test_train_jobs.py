"""Trainings as TrainJobs, checked by the definitions of Trainer; their pods are real processes."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from msgspec.structs import replace

from jupyter_gpuquota.model.sessions import ResumeRequest, SessionRequest
from tests.cluster.teams import Teams
from tests.cluster.test_training_processes import launch, printed
from tests.cluster.test_whole import ANA, place
from tests.cluster.trainer import JOB_SET, TRAINER, trainer
from tests.contract.helpers import until
from tests.fakes import ask
from tests.waiting import wait_for

pytestmark = pytest.mark.asyncio

RUNTIME = Path(__file__).parents[2] / "deploy/training-runtime.yaml"
CHECKS = """
import os, sys, time
name = "gpu-" + os.environ["NAME"]
assert os.environ["MASTER_ADDR"] == os.environ["PET_MASTER_ADDR"] == f"{name}-node-0-0.{name}"
assert os.environ["WORLD_SIZE"] == os.environ["PET_NNODES"] == "2"
assert os.environ["RANK"] == os.environ["JOB_COMPLETION_INDEX"] == os.environ["PET_NODE_RANK"]
print("rank", os.environ["RANK"], flush=True)
time.sleep(float(os.environ["LASTS"]))
sys.exit(int(os.environ["CODE"]) if os.environ["RANK"] == "1" else 0)
"""


def request(name: str, project: str, **env: str) -> SessionRequest:
    return SessionRequest(
        name=name,
        project=project,
        gpu="1",
        kind="train",
        processes=2,
        command=("python", "-c", CHECKS),
        env={"NAME": name, "LASTS": "600", "CODE": "0", **env},
    )


@pytest.fixture
def runtime(kubelet: Any, name: str) -> Iterator[str]:
    """The runtime that comes with the product, under a name of its own."""
    rest, manifest = kubelet.rest(), yaml.safe_load(RUNTIME.read_text(encoding="utf-8"))
    manifest["metadata"]["name"] = name
    rest.create(manifest)
    yield name
    rest.delete(rest.path_of(manifest))


def names(cluster: Any, version: str, kind: str, namespace: str) -> list[str]:
    rest = cluster.rest()
    found = rest.get(rest.path(version, kind, namespace))["items"]
    return sorted(each["metadata"]["name"] for each in found)


async def test_its_processes_are_a_session_and_other_requests_are_jobs(
    kubelet: Any, teams: Teams, runtime: str, tmp_path: Path
) -> None:
    quota = {"requests.nvidia.com/gpu": "3"}
    team = await asyncio.to_thread(teams.with_quota, "team-a", quota, processes=True)
    ours = team.namespace
    settings = {"engine": "resourcequota", "training_runtime": runtime}
    async with place(kubelet, tmp_path, ours, **settings) as backend, trainer(kubelet.rest(), ours):
        await wait_for(lambda: len(backend.inventory.projects()) == 1)
        told = await ask(backend, "sessions.preview", ANA, body=request("first", ours))
        assert (told.verdict, "Indexed Job" in told.message) == ("fits", False)
        first = await launch(backend, request("first", ours))
        running = await until(backend, first.id, "running")
        assert names(kubelet, TRAINER, "TrainJob", ours) == ["gpu-first"]
        assert running.placement is not None
        assert running.placement.milli == 2000
        assert await printed(backend, running, 0) == "rank 0\n"
        assert await printed(backend, running, 1) == "rank 1\n"

        failing = request("second", ours, LASTS="0", CODE="7")
        second = await launch(backend, failing)
        waits = await until(backend, second.id, lambda s: s.reason is not None)
        assert waits.state == "waiting"
        await ask(backend, "sessions.suspend", ANA, args={"id": first.id})
        await until(backend, first.id, "suspended")
        failed = await until(backend, second.id, "failed")
        assert failed.reason is not None
        assert failed.reason.message.startswith("Process 1 of 2 exited with code 7")

        await ask(backend, "sessions.resume", ANA, args={"id": first.id}, body=ResumeRequest())
        again = await until(backend, first.id, "running")
        assert again.run == 2
        await ask(backend, "sessions.stop", ANA, args={"id": first.id})
        await until(backend, first.id, "stopped")
        done = await launch(backend, request("done", ours, LASTS="0"))
        await until(backend, done.id, "done")
        for ended in (second, done):
            await ask(backend, "sessions.delete", ANA, args={"id": ended.id})
        await wait_for(lambda: not names(kubelet, JOB_SET, "JobSet", ours))

        elsewhere = replace(request("elsewhere", ours), folder="/tmp")  # noqa: S108 (in a pod)
        told = await ask(backend, "sessions.preview", ANA, body=elsewhere)
        assert "would differ in workingDir." in told.message
        await launch(backend, elsewhere)
        await wait_for(lambda: "gpu-elsewhere" in names(kubelet, "batch/v1", "Job", ours))
        assert names(kubelet, TRAINER, "TrainJob", ours) == []
