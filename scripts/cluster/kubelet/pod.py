"""The life of one pod."""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from pathlib import Path
from typing import Any

from ..labels import FORWARD
from ..rest import Refused
from . import images, objects, status
from .client import Client
from .launch import Launch, prepare
from .logs import last_lines
from .probes import is_ready
from .process import ContainerProcess
from .status import ContainerState, now

Json = dict[str, Any]

BACKOFF = (0.5, 1.0, 2.0, 4.0)
"""Seconds between restarts: shorter than those of a real kubelet, which begin with 10."""
POLICY, FALLBACK = "terminationMessagePolicy", "FallbackToLogsOnError"
"""Where a failed container's log is to be its termination message."""
RETRY_SECONDS = 1.0
PROBE_SECONDS = 0.1


class Pod:
    """A pod that is bound to a node. Its first container is a process, others only look so."""

    def __init__(
        self, manifest: Json, root: Path, claims: Path, address: str, client: Client
    ) -> None:
        self._pod = {**manifest, "status": {**manifest["status"], "podIP": address}}
        self._root = root
        self._claims = claims
        self._address = address
        self._client = client
        self._container = manifest["spec"]["containers"][0]
        entries = manifest["spec"]["containers"]
        self._states = [ContainerState(entry["name"], entry["image"]) for entry in entries]
        self._state = self._states[0]
        self._started = now()
        self._process: ContainerProcess | None = None
        self._ending = False

    async def run(self) -> None:
        """Run the pod until its containers have ended for good."""
        await self._report("Pending")
        await self._pull(self._container["image"])
        launch = await self._prepare()
        await self._publish(launch)
        code = await self._run_container(launch)
        await self._report("Failed" if code else "Succeeded")

    async def end(self, grace: float) -> bool:
        """End its process, by SIGKILL after a time in seconds; return whether there was one."""
        self._ending = True
        if self._process:
            await self._process.end(grace)
        return self._process is not None

    async def _pull(self, image: str) -> None:
        """Pull the image, which may never succeed."""
        await self._event("Pulling", f'Pulling image "{image}"')
        async for reason, sentence in images.failures(image):
            await self._event("Failed", sentence, "Warning")
            await self._wait(reason, sentence)
        await self._event("Pulled", f'Successfully pulled image "{image}"')

    async def _prepare(self) -> Launch:
        """Return how the container starts, once everything that it refers to exists."""
        while True:
            lookup = await self._client.lookup(self._pod)
            try:
                return prepare(self._pod, self._root, self._claims, lookup)
            except KeyError as error:
                await self._wait("CreateContainerConfigError", f"{error.args[0]} not found")
                await asyncio.sleep(RETRY_SECONDS)

    async def _publish(self, launch: Launch) -> None:
        """Let KWOK serve shell and ports, and the API server reach the pod."""
        folder, environment = launch.program.folder, launch.environment
        shell = objects.shell(self._pod, self._state.name, folder, environment)
        await self._client.apply(shell)
        if launch.ports:
            await self._client.apply(objects.forwards(self._pod, launch.ports))
        text = ",".join(f"{port}={real}" for port, real in launch.ports.items())
        await self._client.annotate(self._pod, {FORWARD: text})

    async def _run_container(self, launch: Launch) -> int:
        """Run the container, and again where its restart policy says so; return its last code."""
        policy, state = self._pod["spec"].get("restartPolicy", "Always"), self._state
        for other in self._states[1:]:
            other.state, other.ready = status.running(), True
        while True:
            code = await self._run_once(launch, self._root / f"{state.restarts}.log")
            if self._ending or not status.restarts(policy, code):
                return code
            state.last = state.state
            sentence = f"back-off restarting failed container {state.name}"
            await self._event("BackOff", sentence, "Warning")
            await self._wait("CrashLoopBackOff", sentence, "Running")
            await asyncio.sleep(BACKOFF[min(state.restarts, len(BACKOFF) - 1)])
            state.restarts += 1

    async def _run_once(self, launch: Launch, log: Path) -> int:
        """Start the process, report when it is ready and when it has ended; return its code."""
        log.touch()
        state, started = self._state, now()
        before = self._root / f"{state.restarts - 1}.log" if state.restarts else None
        await self._client.apply(objects.logs(self._pod, state.name, log, before))
        self._process = await ContainerProcess.start(launch, log)
        state.state = status.running()
        await self._event("Started", f"Container started: {state.name}")
        await self._report("Running")
        ended = asyncio.create_task(self._process.wait())
        while not ended.done() and not state.ready:
            if await is_ready(self._container, launch.ports):
                state.ready = True
                await self._report("Running")
            await asyncio.wait({ended}, timeout=PROBE_SECONDS)
        code = await ended
        said = last_lines(log) if code and self._container.get(POLICY) == FALLBACK else ""
        state.state, state.ready = status.terminated(code, started, said), False
        return code

    async def _wait(self, reason: str, message: str, phase: str = "Pending") -> None:
        """Report that the container waits."""
        self._state.state = status.waiting(reason, message)
        await self._report(phase)

    async def _report(self, phase: str) -> None:
        content = status.pod_status(self._states, phase, self._address, self._started)
        await self._client.report(self._pod, content)

    async def _event(self, reason: str, message: str, kind: str = "Normal") -> None:
        try:
            await self._client.create(objects.event(self._pod, reason, message, kind))
        except Refused as error:
            if error.status not in (HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND):
                raise  # otherwise the namespace is being deleted
