"""Trainings for MPI under the real MPI Operator; their pods are real processes."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from jupyter_gpuquota.model.sessions import ResumeRequest, SessionRequest
from tests.cluster.teams import Teams, make_priorities
from tests.cluster.test_training_processes import launch, printed
from tests.cluster.test_whole import ANA, place
from tests.contract.helpers import until
from tests.fakes import ask
from tests.waiting import wait_for

pytestmark = pytest.mark.asyncio

SERVES = ["python", "-m", "http.server", "22", "--bind", "127.0.0.1"]
"""Stands for sshd: it listens, which is all that is asked of workers here."""
TELLS = "import os, sys, time; print(os.environ['OMPI_MCA_orte_set_default_slots'], flush=True); "
STAYS, ENDS = f"{TELLS}time.sleep(600)", f"{TELLS}sys.exit(int(os.environ['CODE']))"


def request(name: str, project: str, code: str = STAYS, **env: str) -> SessionRequest:
    return SessionRequest(
        name=name,
        project=project,
        gpu="1",
        kind="train",
        processes=2,
        framework="mpi",
        command=("python", "-c", code),
        env=env,
    )


def pods_of(cluster: Any, namespace: str, name: str) -> list[str]:
    """Return the roles of the pods of a session."""
    found = cluster.rest().get(f"/api/v1/namespaces/{namespace}/pods")["items"]
    named = [each["metadata"] for each in found if f"gpu-{name}-" in each["metadata"]["name"]]
    return sorted(each["labels"]["training.kubeflow.org/job-role"] for each in named)


async def test_kueue_admits_launcher_and_workers_together(
    kubelet: Any, teams: Teams, tmp_path: Path
) -> None:
    make_priorities(kubelet.rest())
    team = await asyncio.to_thread(teams.with_kueue, "team-a", 3000, processes=True, limit=0)
    ours = team.namespace
    async with place(kubelet, tmp_path, ours, mpi_sshd=SERVES) as backend:
        await wait_for(lambda: len(backend.inventory.projects()) == 1)
        told = await ask(backend, "sessions.preview", ANA, body=request("first", ours))
        assert (told.verdict, "MPIJob" in told.message) == ("fits", False)
        first = await launch(backend, request("first", ours))
        running = await until(backend, first.id, "running")
        assert running.placement is not None
        assert running.placement.milli == 2000
        assert pods_of(kubelet, ours, "first") == ["launcher", "worker", "worker"]
        assert await printed(backend, running, 0) == "1\n"

        second = await launch(backend, request("second", ours, ENDS, CODE="3"))
        waits = await until(backend, second.id, lambda s: s.reason is not None)
        assert waits.state == "waiting"
        assert pods_of(kubelet, ours, "second") == []

        await ask(backend, "sessions.suspend", ANA, args={"id": first.id})
        await until(backend, first.id, "suspended")
        failed = await until(backend, second.id, "failed")
        assert failed.reason is not None
        assert failed.reason.key == "exit.command"
        assert failed.exit is not None
        assert failed.exit.code == 3

        await ask(backend, "sessions.resume", ANA, args={"id": first.id}, body=ResumeRequest())
        again = await until(backend, first.id, "running")
        assert again.run == 2
        await ask(backend, "sessions.stop", ANA, args={"id": first.id})
        await until(backend, first.id, "stopped")
        await ask(backend, "sessions.delete", ANA, args={"id": second.id})
        jobs = f"/apis/kubeflow.org/v2beta1/namespaces/{ours}/mpijobs"
        await wait_for(lambda: not kubelet.rest().get(jobs)["items"])


async def test_without_kueue_it_starts_once_there_is_quota_for_all(
    kubelet: Any, teams: Teams, tmp_path: Path
) -> None:
    quota = {"requests.nvidia.com/gpu": "2"}
    made = await asyncio.to_thread(teams.with_quota, "team-a", quota, processes=True)
    ours = made.namespace
    async with place(kubelet, tmp_path, ours, engine="resourcequota", mpi_sshd=SERVES) as backend:
        await wait_for(lambda: len(backend.inventory.projects()) == 1)
        done = await launch(backend, request("done", ours, ENDS, CODE="0"))
        after = await until(backend, done.id, "done")
        assert after.exit is not None
        assert after.exit.code == 0
        await wait_for(lambda: "worker" not in pods_of(kubelet, ours, "done"))
        plain = replace(request("plain", ours, "import time; time.sleep(600)"), framework="torch")
        await until(backend, (await launch(backend, plain)).id, "running")
