"""All pods of all nodes that are real processes."""

from __future__ import annotations

import asyncio
import random
import shutil
import sys
import traceback
from collections.abc import Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .client import Client
from .pod import Pod

PAUSE = 0.05
"""Seconds in which changes gather before they are looked at."""
LAST_WORDS = 5.0
"""Seconds in which a pod that has ended reports that."""


ENDED = ("Succeeded", "Failed")


@dataclass
class Running:
    """A pod, the task that runs it, and the one that ends it."""

    manifest: dict[str, Any]
    pod: Pod | None = None
    task: asyncio.Task[None] | None = None
    ending: asyncio.Task[None] | None = None


class Kubelet:
    """Keeps processes and pods alike: where a pod goes, its process ends."""

    def __init__(self, client: Client, folder: Path) -> None:
        self._client = client
        self._folder = folder
        self._running: dict[str, Running] = {}

    async def run(self) -> None:
        """Look whenever something has changed."""
        changed, loop = asyncio.Event(), asyncio.get_running_loop()
        pods = self._client.pods(lambda: loop.call_soon_threadsafe(changed.set))
        while True:
            await changed.wait()
            await asyncio.sleep(PAUSE)
            changed.clear()
            self.compare([pod for pod in pods.items() if pod["spec"].get("nodeName")])

    def compare(self, pods: list[dict[str, Any]]) -> None:
        """Start pods that are new, and end those that are being deleted or gone."""
        found = {pod["metadata"]["uid"]: pod for pod in pods}
        for uid, pod in found.items():
            if uid not in self._running:
                self._running[uid] = self._start(uid, pod)
            if "deletionTimestamp" in pod["metadata"]:
                self._end(uid, pod["metadata"].get("deletionGracePeriodSeconds", 30))
        for uid in self._running.keys() - found.keys():
            self._end(uid, 0)
            ending = self._running[uid].ending
            if ending and ending.done():
                del self._running[uid]  # not before: a pod that ends is still seen for a while

    def _start(self, uid: str, manifest: dict[str, Any]) -> Running:
        """Start a pod, unless it has ended before or is being deleted."""
        status = manifest.get("status", {})
        if status.get("phase") in ENDED or "deletionTimestamp" in manifest["metadata"]:
            return Running(manifest)
        random_address = f"198.19.{random.randrange(256)}.{random.randrange(1, 255)}"  # noqa: S311
        address = status.get("podIP") or random_address
        claims = self._folder / "claims"
        pod = Pod(manifest, self._folder / uid, claims, address, self._client)
        return Running(manifest, pod, asyncio.create_task(_reported(pod.run(), manifest)))

    def _end(self, uid: str, grace: float) -> None:
        running = self._running[uid]
        if running.ending is None:
            ending = self._finish(uid, running, grace)
            running.ending = asyncio.create_task(_reported(ending, running.manifest))

    async def _finish(self, uid: str, running: Running, grace: float) -> None:
        if running.pod and running.task:
            if await running.pod.end(grace):
                # A Job waits for the last phase of a pod that others delete, as kubelets write it.
                await asyncio.wait({running.task}, timeout=LAST_WORDS)
            running.task.cancel()
        await self._client.remove(running.manifest)
        shutil.rmtree(self._folder / uid, ignore_errors=True)


async def _reported(work: Coroutine[Any, Any, None], manifest: dict[str, Any]) -> None:
    """Do the work of one pod; write what goes wrong into the log, and let the others go on."""
    try:
        await work
    except Exception:  # noqa: BLE001 (one pod must not end the others)
        print(f"{manifest['metadata']['name']}:\n{traceback.format_exc()}", file=sys.stderr)
