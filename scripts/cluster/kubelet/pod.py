"""The life of one pod."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Any

from ..labels import FORWARD
from ..ports import free_ports
from ..rest import Refused
from . import containers, objects, status
from .client import Client
from .probes import is_ready
from .process import ContainerProcess, allow_root, base_environment, make_folders
from .status import ContainerState, now

Json = dict[str, Any]

MISSING = "missing.test/"
"""Images of this registry cannot be pulled."""
SLOW = "slow.test/"
"""Images of this registry take a while to pull."""
PULL_SECONDS = 3.0

BACKOFF = (0.5, 1.0, 2.0, 4.0)
"""Seconds between restarts: shorter than those of a real kubelet, which begin with 10."""


class Pod:
    """A pod that was bound to a node."""

    def __init__(
        self, manifest: Json, root: Path, claims: Path, address: str, client: Client
    ) -> None:
        self._pod = manifest
        self._root = root
        self._claims = claims
        self._address = address
        self._client = client
        self._container = manifest["spec"]["containers"][0]
        entries = manifest["spec"]["containers"]
        self._states = [ContainerState(entry["name"], entry["image"]) for entry in entries]
        self._started = now()
        self._process: ContainerProcess | None = None
        self._ending = False

    async def run(self) -> None:
        """Run the pod until its containers have ended for good."""
        await self._report("Pending")
        if not await self._pull():
            return
        try:
            program, environment, ports = await self._prepare()
        except (KeyError, Refused) as error:
            self._states[0].state = status.waiting("CreateContainerConfigError", str(error))
            await self._report("Pending")
            return
        code = await self._run_container(program, environment, ports)
        await self._report("Failed" if code else "Succeeded")

    async def end(self, grace: float) -> None:
        """End its process."""
        self._ending = True
        if self._process:
            await self._process.end(grace)

    async def _pull(self) -> bool:
        """Pull the image, as far as that is played; return whether it is there."""
        image = self._container["image"]
        await self._event("Pulling", f'Pulling image "{image}"')
        if image.startswith(MISSING):
            sentence = f'Failed to pull image "{image}": not found'
            for reason in ("ErrImagePull", "ImagePullBackOff"):
                await self._event("Failed", sentence, "Warning")
                self._states[0].state = status.waiting(reason, sentence)
                await self._report("Pending")
                await asyncio.sleep(BACKOFF[0])
            return False
        if image.startswith(SLOW):
            await asyncio.sleep(PULL_SECONDS)
        await self._event("Pulled", f'Successfully pulled image "{image}"')
        return True

    async def _prepare(self) -> tuple[containers.Program, dict[str, str], dict[int, int]]:
        """Make files and variables, and say where the ports are."""
        lookup = await self._client.lookup(self._pod)
        inside = containers.ports_of(self._pod)
        free = free_ports(tuple(map(str, inside)))
        ports = {port: free[str(port)] for port in inside}
        folders = containers.mounts(self._pod, self._container, self._root, self._claims)
        translation = containers.Translation(ports, folders)
        make_folders(self._root)
        containers.write_files(self._pod, self._root, lookup, translation)
        for folder in folders.values():
            if not folder.exists():  # a subPath may be a file
                folder.mkdir(parents=True)
        self._pod["status"]["podIP"] = self._address
        variables = containers.environment(self._pod, self._container, lookup)
        program = containers.program(self._container, variables, translation, self._root)
        environment = allow_root(
            {**base_environment(self._root), **program.environment}, self._root
        )
        await self._publish(program, environment, ports)
        return program, environment, ports

    async def _publish(
        self, program: containers.Program, environment: Mapping[str, str], ports: dict[int, int]
    ) -> None:
        """Let KWOK serve shell and ports, and the API server reach the pod."""
        name = self._container["name"]
        await self._client.apply(objects.shell(self._pod, name, program.folder, environment))
        if ports:
            await self._client.apply(objects.forwards(self._pod, ports))
        text = ",".join(f"{port}={real}" for port, real in ports.items())
        await self._client.annotate(self._pod, {FORWARD: text})

    async def _run_container(
        self, program: containers.Program, environment: Mapping[str, str], ports: Mapping[int, int]
    ) -> int:
        """Run the container, and again where its restart policy says so; return its last code."""
        policy, state = self._pod["spec"].get("restartPolicy", "Always"), self._states[0]
        for other in self._states[1:]:
            other.state, other.ready = status.running(), True
        while True:
            log = self._root / f"{state.restarts}.log"
            log.touch()
            before = self._root / f"{state.restarts - 1}.log" if state.restarts else None
            await self._client.apply(objects.logs(self._pod, state.name, log, before))
            code = await self._run_once(program, environment, ports, log)
            if self._ending or not status.restarts(policy, code):
                return code
            pause = BACKOFF[min(state.restarts, len(BACKOFF) - 1)]
            sentence = f"back-off restarting failed container {state.name}"
            state.state, state.last = status.waiting("CrashLoopBackOff", sentence), state.state
            await self._event("BackOff", sentence, "Warning")
            await self._report("Running")
            await asyncio.sleep(pause)
            state.restarts += 1

    async def _run_once(
        self,
        program: containers.Program,
        environment: Mapping[str, str],
        ports: Mapping[int, int],
        log: Path,
    ) -> int:
        """Start the process, report when it is ready and when it has ended; return its code."""
        state = self._states[0]
        started = now()
        try:
            self._process = await ContainerProcess.start(program, environment, log)
        except OSError as error:
            print(f"{self._pod['metadata']['name']}: {error}", file=sys.stderr, flush=True)
            state.state = status.terminated(128, started)
            return 128
        state.state = status.running()
        await self._event("Started", f"Container started: {state.name}")
        await self._report("Running")
        ended = asyncio.create_task(self._process.wait())
        while not ended.done() and not state.ready:
            if await is_ready(self._container, ports):
                state.ready = True
                await self._report("Running")
            await asyncio.wait({ended}, timeout=0.1)
        code = await ended
        state.state, state.ready = status.terminated(code, started), False
        return code

    async def _report(self, phase: str) -> None:
        content = status.pod_status(self._states, phase, self._address, self._started)
        await self._client.report(self._pod, content)

    async def _event(self, reason: str, message: str, kind: str = "Normal") -> None:
        try:
            await self._client.create(objects.event(self._pod, reason, message, kind))
        except Refused as error:
            if error.status not in (HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND):
                raise  # otherwise the namespace is being deleted
