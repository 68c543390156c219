"""Thousands of sessions on a test cluster: written as objects, without the programs that act."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jupyter_gpuquota.kubernetes.connecting import connect
from jupyter_gpuquota.kubernetes.connection.rest import Rest
from jupyter_gpuquota.kubernetes.engines.kueue.objects import WORKLOADS
from jupyter_gpuquota.kubernetes.labels import RECORD
from jupyter_gpuquota.kubernetes.resources import NODES, PODS, SECRETS, STATEFUL_SETS, Resource

from .objects import Json, Names, Original, copied, node_copied

_AT_ONCE = 32
_KINDS: dict[str, Resource[Any]] = {
    "StatefulSet": STATEFUL_SETS,
    "Pod": PODS,
    "Secret": SECRETS,
    "Workload": WORKLOADS,
}


@dataclass(frozen=True)
class Crowd:
    """How many nodes and sessions there are in which namespaces; the last ones are `starting`."""

    nodes: int
    sessions: int
    starting: int
    namespaces: Sequence[str]

    def names(self, number: int) -> Names:
        """Return the names of a session: five on each node, the same number in each namespace."""
        namespace = self.namespaces[number % len(self.namespaces)]
        node = f"many-{number % self.nodes:04}"
        return Names(namespace, f"copy-{number:05}", f"s{number:011}", node)

    def runs(self, number: int) -> bool:
        """Return whether a session's pod runs; the others have a node and have not begun."""
        return number < self.sessions - self.starting


def fill(kubeconfig: Path, original: Original, node: Json, crowd: Crowd) -> None:
    """Write nodes and sessions. Raises Fault."""
    asyncio.run(_fill(kubeconfig, original, node, crowd))


async def _fill(kubeconfig: Path, original: Original, node: Json, crowd: Crowd) -> None:
    api = await connect(str(kubeconfig))
    try:
        await _each(crowd.nodes, lambda number: _add_node(api, node, f"many-{number:04}"))
        await _each(
            crowd.sessions,
            lambda number: _add(api, original, crowd.names(number), runs=crowd.runs(number)),
        )
    finally:
        await api.close()


async def _each(count: int, do: Callable[[int], Coroutine[Any, Any, None]]) -> None:
    """Do something with all numbers below a count, some at a time."""
    numbers = iter(range(count))

    async def some() -> None:
        for number in numbers:
            await do(number)

    await asyncio.gather(*(some() for _ in range(_AT_ONCE)))


async def _add_node(api: Rest, node: Json, name: str) -> None:
    made = node_copied(node, name)
    await api.ask(NODES.path(), made)
    # Admission taints every new node, and no controller is there that would take this back.
    await api.patch(NODES, "", name, {"spec": {"taints": None}})
    await api.patch(NODES, "", name, {"status": made["status"]}, subresource="status")


async def _add(api: Rest, original: Original, names: Names, *, runs: bool) -> None:
    """Write the objects of a session, each after its owners."""
    uids: dict[str, str] = {}

    async def write(found: Json, *, status: bool = True) -> Json:
        resource = _KINDS[found["kind"]]
        made = copied(original, found, names, uids, starting=not runs)
        answer = await api.ask(resource.path(names.namespace), made)
        uids[found["metadata"]["uid"]] = json.loads(answer)["metadata"]["uid"]
        name = made["metadata"]["name"]
        if status and "status" in made:
            changed = {"status": made["status"]}
            await api.patch(resource, names.namespace, name, changed, subresource="status")
        return made

    workload = await write(original.workload)
    await write(original.secret)
    await write(original.pod, status=runs)
    await write(original.queued)
    known = copied(original, original.workload, names, uids, starting=not runs)
    notes = {"metadata": {"annotations": {RECORD: known["metadata"]["annotations"][RECORD]}}}
    await api.patch(STATEFUL_SETS, names.namespace, workload["metadata"]["name"], notes)
