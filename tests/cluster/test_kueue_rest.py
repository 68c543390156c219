"""On Kueue a session without a pod holds nothing, whatever state it came to rest in."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from jupyter_gpuquota.ports.backend import Backend
from scripts.cluster.rest import Rest
from scripts.cluster.settings import MILLI_GPU
from tests.cluster.engine_contract import OnKueue, kueue, projects
from tests.contract.helpers import launch, run, until
from tests.waiting import wait_for

__all__ = ["kueue", "projects"]

QUEUES = "/apis/kueue.x-k8s.io/v1beta2/clusterqueues"
WORKLOADS = "/apis/kueue.x-k8s.io/v1beta2/namespaces/{}/workloads"


def used(rest: Rest) -> dict[str, str]:
    """Return what each ClusterQueue says is in use of GPUs, where that is not nothing."""
    found: dict[str, str] = {}
    for queue in rest.get(QUEUES)["items"]:
        for flavor in queue.get("status", {}).get("flavorsUsage", ()):
            for resource in flavor["resources"]:
                if resource["name"] == MILLI_GPU and resource["total"] != "0":
                    found[queue["metadata"]["name"]] = resource["total"]
    return found


def queued(rest: Rest, project: str) -> list[str]:
    """Return the Workloads of a project that Kueue is going to admit, or has admitted."""
    found = []
    for each in rest.get(WORKLOADS.format(project))["items"]:
        said = {c["type"]: c for c in each.get("status", {}).get("conditions", ())}
        if said.get("QuotaReserved", {}).get("reason") != "OnHold":
            found.append(each["metadata"]["name"])
    return found


@pytest.mark.asyncio
class TestRest(OnKueue):
    @pytest.mark.parametrize("verb", ["suspend", "stop"])
    async def test_who_comes_to_rest_while_queued_is_not_admitted_later(
        self, backend: Backend, kueue: Rest, verb: str
    ) -> None:
        first = await run(backend, "first", gpu="4")
        second = await launch(backend, "second", gpu="1")
        await until(backend, second.id, lambda s: s.reason is not None)
        await getattr(backend.sessions, verb)(second.id)
        rests = "suspended" if verb == "suspend" else "stopped"
        await until(backend, second.id, rests)
        await self.is_free_after(backend, kueue, first)
        await backend.sessions.resume(second.id)
        await until(backend, second.id, "running")
        await backend.sessions.suspend(second.id)
        await until(backend, second.id, "suspended")
        await self.holds(kueue, {})
        assert (await run(backend, "third", gpu="4")).placement

    async def is_free_after(self, backend: Backend, rest: Rest, holder: Any) -> None:
        """Stop who holds the GPUs, and wait until nobody does."""
        await backend.sessions.stop(holder.id)
        await until(backend, holder.id, "stopped")
        await self.holds(rest, {})

    async def holds(self, rest: Rest, wanted: dict[str, str]) -> None:
        async def same() -> bool:
            left = await asyncio.to_thread(queued, rest, "team-a")
            return not left and await asyncio.to_thread(used, rest) == wanted

        await wait_for(same, lambda: f"in use: {used(rest)}, queued: {queued(rest, 'team-a')}")
