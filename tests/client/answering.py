"""A server that answers routes as a test has written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, unquote

import msgspec

from jupyter_gpuquota.api.statuses import status_of
from jupyter_gpuquota.client.connection.protocol import Message, Reply
from jupyter_gpuquota.errors import GpuQuotaError, NotFound
from jupyter_gpuquota.model.struct import problem_of
from tests.client.inmemory import find_route

Answer = Any | Callable[["Asked"], Any]
"""A model, an error, a list of these for one call after the other, or what returns one."""


@dataclass(frozen=True)
class Asked:
    """A call that has arrived."""

    route: str
    args: dict[str, str]
    query: dict[str, str]
    body: dict[str, Any]


@dataclass
class Answering:
    """Answers by route, and remembers the calls; of a list of answers the last one stays."""

    answers: dict[str, Answer] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)
    url: str = ""

    def send(self, message: Message) -> Reply:
        path, _, query = message.target.partition("?")
        route, args = find_route(message.method, path)
        asked = Asked(
            route.name,
            {name: unquote(value) for name, value in args.items()},
            {name: values[0] for name, values in parse_qs(query, errors="strict").items()},
            msgspec.json.decode(message.body) if message.body else {},
        )
        self.asked.append(asked)
        answer = self.answers.get(route.name, NotFound(f"{route.name} has no answer."))
        if isinstance(answer, list):
            answer = answer.pop(0) if len(answer) > 1 else answer[0]
        if callable(answer):
            answer = answer(asked)
        if isinstance(answer, GpuQuotaError):
            return Reply(status_of(answer), msgspec.json.encode(problem_of(answer)))
        return Reply(route.status, msgspec.json.encode(answer))

    def listen(self, message: Message) -> Any:
        raise AssertionError(f"nothing streams: {message.target}")

    @property
    def routes(self) -> list[str]:
        return [asked.route for asked in self.asked]
