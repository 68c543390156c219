"""A way to a server in memory: the real use cases over the backend that tests share."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from io import BytesIO

import msgspec

from jupyter_gpuquota.api.dispatch import ApiRequest
from jupyter_gpuquota.api.inprocess import InProcess
from jupyter_gpuquota.api.statuses import status_of
from jupyter_gpuquota.client.connection.context import Context
from jupyter_gpuquota.client.connection.discovery import Home
from jupyter_gpuquota.client.connection.protocol import Message, Reply
from jupyter_gpuquota.client.connection.servers import JupyterServer
from jupyter_gpuquota.errors import GpuQuotaError
from jupyter_gpuquota.model.routes.table import ROUTES, Route
from jupyter_gpuquota.model.struct import Model, problem_of
from jupyter_gpuquota.ports.backend import Backend
from tests.fakes import make_backend, me


@dataclass
class Written:
    """Lines that are all there."""

    status: int
    text: BytesIO
    closed: bool = False

    def read(self) -> bytes:
        return self.text.read()

    def next(self) -> bytes:
        return self.text.readline()

    def close(self) -> None:
        self.closed = True


@dataclass
class InMemory:
    """Answer messages as the controller would, and remember them."""

    backend: Backend = field(default_factory=make_backend)
    user: str = "me"
    url: str = ""
    seen: list[Message] = field(default_factory=list)

    def __str__(self) -> str:
        return "memory"

    def send(self, message: Message) -> Reply:
        return asyncio.run(self._answer(message))

    def listen(self, message: Message) -> Written:
        reply = self.send(message)
        return Written(reply.status, BytesIO(reply.body))

    async def _answer(self, message: Message) -> Reply:
        self.seen.append(message)
        path, _, query = message.target.partition("?")
        route, args = find_route(message.method, path)
        asked = ApiRequest(
            route=route, caller=me(self.user), args=args, query=query, body=message.body
        )
        try:
            answer = await InProcess(self.backend).dispatch(asked)
        except GpuQuotaError as error:
            return Reply(status_of(error), msgspec.json.encode(problem_of(error)))
        lines = [line async for line in answer.lines] if answer.lines else [answer.body]
        return Reply(answer.status, b"".join(lines))


class Scripted(InMemory):
    """A server that answers as a test has written, the last one for ever."""

    def __init__(self, answers: Sequence[Model]) -> None:
        super().__init__()
        self.answers = list(answers)

    def send(self, message: Message) -> Reply:
        self.seen.append(message)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        return Reply(200, msgspec.json.encode(answer))


def find_route(method: str, path: str) -> tuple[Route, dict[str, str]]:
    """Return the route that a path belongs to, as the handlers' patterns would."""
    for row in ROUTES:
        pattern = re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]*)", row.path)
        match = re.fullmatch(pattern, path)
        if match and row.method == method:
            return row, match.groupdict()
    raise AssertionError(f"no route for {method} {path}")


class Surroundings(Context):
    """An environment independent of this machine: no preferences, no JupyterLab unless given."""

    def __init__(
        self,
        transport: InMemory,
        *,
        project: str = "",
        home: Home | None = None,
        labs: tuple[JupyterServer, ...] = (),
    ) -> None:
        super().__init__(lambda: transport)
        self.pauses: list[float] = []
        self._preferred, self._home, self._labs = project, home, labs

    def project(self) -> str:
        return self._preferred

    def home(self) -> Home | None:
        return self._home

    def labs(self) -> list[JupyterServer]:
        return list(self._labs)

    def folder(self) -> str:
        return "/here"

    def pause(self, seconds: float) -> None:
        self.pauses.append(seconds)
