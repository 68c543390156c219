"""The kubelet's calls to the API server, repeated while it does not answer."""

from __future__ import annotations

import asyncio
import http.client
from collections.abc import Callable, Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Any, TypeVar

from ..labels import POD
from ..rest import Refused, Rest
from ..watching import Watched
from . import containers

T = TypeVar("T")
Json = dict[str, Any]

PAUSE = 0.3
STRATEGIC = "application/strategic-merge-patch+json"
TRANSIENT = (HTTPStatus.TOO_MANY_REQUESTS, *(status for status in HTTPStatus if status >= 500))


class Client:
    """A connection that does not give up. Its methods raise Refused for answers that stay."""

    def __init__(self, kubeconfig: Path) -> None:
        self._rest = Rest.of(kubeconfig, keeps=True)

    def pods(self, changed: Callable[[], object]) -> Watched:
        """Return the pods that are to be processes; `changed` is called in another thread."""
        return Watched(self._rest, "/api/v1/pods", changed, labelSelector=f"{POD}=process")

    async def lookup(self, pod: Json) -> containers.Lookup:
        """Return a function that reads Secrets and ConfigMaps of a pod's namespace."""
        namespace = pod["metadata"]["namespace"]
        read: dict[str, Mapping[str, bytes]] = {}
        for kind in ("Secret", "ConfigMap"):
            path = self._rest.path("v1", kind, namespace)
            listed = await self._call(self._rest.get, path)
            for item in listed["items"]:
                content = containers.decoded({**item, "kind": kind})
                read[_name(kind, item["metadata"]["name"])] = content
        return lambda kind, name: read[_name(kind, name)]

    async def report(self, pod: Json, status: Json) -> None:
        """Write a pod's status, unless the pod is gone."""
        await self._patch_pod(pod, "/status", {"status": status})

    async def annotate(self, pod: Json, annotations: dict[str, str]) -> None:
        """Set annotations of a pod, unless the pod is gone."""
        await self._patch_pod(pod, "", {"metadata": {"annotations": annotations}})

    async def apply(self, manifest: Json) -> None:
        """Create or change an object."""
        await self._call(self._rest.apply, manifest)

    async def create(self, manifest: Json) -> None:
        """Create an object."""
        await self._call(self._rest.create, manifest)

    async def remove(self, pod: Json) -> None:
        """Delete a pod whose processes have ended."""
        uid = {"uid": pod["metadata"]["uid"]}
        options = {"gracePeriodSeconds": 0, "preconditions": uid}
        try:
            await self._call(self._rest.delete, _path(pod), **options)
        except Refused as error:
            if error.status != HTTPStatus.CONFLICT:
                raise  # otherwise another pod has its name by now

    async def _patch_pod(self, pod: Json, subresource: str, changes: Json) -> None:
        body = {
            **changes,
            "metadata": {**changes.get("metadata", {}), "uid": pod["metadata"]["uid"]},
        }
        path = f"{_path(pod)}{subresource}"
        while True:
            try:
                await self._call(self._rest.request, "PATCH", path, body, STRATEGIC)
            except Refused as error:
                if error.status == HTTPStatus.CONFLICT and "UID" not in error.message:
                    continue  # others change the pod, too
                if error.status not in (HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT):
                    raise
            return

    async def _call(self, call: Callable[..., T], *arguments: Any, **options: Any) -> T:
        while True:
            try:
                return await asyncio.to_thread(call, *arguments, **options)
            except Refused as error:
                if error.status not in TRANSIENT:
                    raise
            except (OSError, http.client.HTTPException):
                pass  # the API server is away: tests do that
            await asyncio.sleep(PAUSE)


def _path(pod: Json) -> str:
    meta = pod["metadata"]
    return f"/api/v1/namespaces/{meta['namespace']}/pods/{meta['name']}"


def _name(kind: str, name: str) -> str:
    """Return what the kubelet calls an object."""
    return f'{kind.lower()} "{name}"'
