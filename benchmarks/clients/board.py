"""Connect to a cluster until the board is complete: `python -m benchmarks.clients.board …`.

    board KUBECONFIG SESSIONS           the product's backend
    structs KUBECONFIG KINDS            the same lists, decoded; KINDS is what `board` printed
    typed KUBECONFIG                    pods, nodes and StatefulSets by the official client

It prints processor seconds, bytes and kinds as JSON.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import AsyncGenerator, Callable
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar, TypeVar

import msgspec

from jupyter_gpuquota.control.config import GpuQuota
from jupyter_gpuquota.kubernetes.api import Change
from jupyter_gpuquota.kubernetes.backend import open_kubernetes
from jupyter_gpuquota.kubernetes.client import (
    Client as _,  # noqa: F401 (its import is not measured)
)
from jupyter_gpuquota.kubernetes.config import KubernetesConfig
from jupyter_gpuquota.kubernetes.connecting import connect
from jupyter_gpuquota.kubernetes.connection.decoding import Page
from jupyter_gpuquota.kubernetes.connection.rest import Rest
from jupyter_gpuquota.kubernetes.objects.meta import Object
from jupyter_gpuquota.kubernetes.resources import Resource
from scripts.cluster.rest import Rest as Plain
from scripts.cluster.settings import MILLI_GPU

T = TypeVar("T", bound=Object)

_LOOK = 0.01
_PATIENCE = 170.0
Kind = tuple[str, str, str]
"""The path of a list with its label selector, and module and name of its record."""


class Noting(Rest):
    """A connection that notes which lists were read."""

    lists: ClassVar[set[Kind]] = set()

    def watch(
        self, resource: Resource[T], namespace: str = "", labels: str = "", version: str = ""
    ) -> AsyncGenerator[Change[T]]:
        """Note the list, and watch."""
        record = resource.record
        path = resource.path(namespace) + (f"?labelSelector={labels}" if labels else "")
        self.lists.add((path, record.__module__, record.__qualname__))
        return super().watch(resource, namespace, labels, version)


async def _until(complete: Callable[[], bool]) -> None:
    ends = time.monotonic() + _PATIENCE
    while not complete():
        if time.monotonic() > ends:
            raise TimeoutError("the board is not complete")
        await asyncio.sleep(_LOOK)


async def _board(kubeconfig: str, sessions: int) -> dict[str, Any]:
    async def connecting() -> Noting:
        made = await connect(kubeconfig)
        return Noting(made.caller, made.owner, made.namespace)

    config = KubernetesConfig(kubeconfig=kubeconfig, milli_resource=MILLI_GPU, shares=["whole"])
    with TemporaryDirectory(prefix="board-") as home:
        began = time.process_time()
        backend = open_kubernetes(
            GpuQuota(hosting="unix"), config, Path(home), connecting=connecting
        )
        await backend.resident.start()

        def complete() -> bool:
            found = backend.sessions.all()
            return len(found) >= sessions and all(each.placement for each in found)

        await _until(complete)
        seconds = time.process_time() - began
        await backend.resident.close()
    return {"seconds": seconds, "kinds": sorted(Noting.lists)}


def _structs(kubeconfig: str, kinds: list[Kind]) -> dict[str, Any]:
    api, total, seconds, objects = Plain.of(Path(kubeconfig)), 0, 0.0, 0
    fetched = time.process_time()
    for path, module, name in kinds:
        record: Any = getattr(import_module(module), name)
        decoder: msgspec.json.Decoder[Any] = msgspec.json.Decoder(Page[record])
        body = api.request("GET", path)
        began = time.process_time()
        found = decoder.decode(body)
        seconds += time.process_time() - began
        total += len(body)
        objects += len(found.items)
    whole = time.process_time() - fetched
    return {"seconds": whole, "decoding": seconds, "bytes": total, "objects": objects}


def _typed(kubeconfig: str) -> dict[str, Any]:
    from kubernetes import client, config  # noqa: PLC0415 (its import is not measured)

    load: Any = config.load_kube_config
    load(kubeconfig)
    core, apps = client.CoreV1Api(), client.AppsV1Api()
    began = time.process_time()
    found: list[Any] = [core.list_pod_for_all_namespaces(), core.list_node()]
    found.append(apps.list_stateful_set_for_all_namespaces())
    seconds = time.process_time() - began
    return {"seconds": seconds, "objects": sum(len(each.items) for each in found)}


def main() -> None:
    """Measure one way."""
    way, kubeconfig, *more = sys.argv[1:]
    if way == "board":
        found = asyncio.run(_board(kubeconfig, int(more[0])))
    elif way == "structs":
        found = _structs(kubeconfig, json.loads(more[0]))
    else:
        found = _typed(kubeconfig)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
