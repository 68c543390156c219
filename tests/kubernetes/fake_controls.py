"""What tests decide about the fake API server, and what it records."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from jupyter_gpuquota.kubernetes.api import Socket
from tests.kubernetes.fake_store import Store

Answer = bytes | Mapping[str, Any] | Callable[..., bytes | Mapping[str, Any]]


@dataclass(frozen=True)
class Call:
    """One call: the verb of this interface, and what it was about."""

    verb: str
    resource: str
    namespace: str = ""
    name: str = ""
    user: str = ""
    dry_run: bool = False


@dataclass
class Injected:
    """A fault that calls meet: after `skip` of them, `times` of them (None: always).

    Where it is `done`, the server does what was asked, and only its answer is lost.
    """

    error: BaseException
    matches: Callable[[Call], bool]
    skip: int = 0
    times: int | None = 1
    done: bool = False

    def meets(self, call: Call, *, done: bool) -> bool:
        if self.done != done or self.times == 0 or not self.matches(call):
            return False
        if self.skip:
            self.skip -= 1
            return False
        self.times = None if self.times is None else self.times - 1
        return True


@dataclass
class Controls:
    """What a test decides about the server; connections that impersonate share it."""

    store: Store
    calls: list[Call] = field(default_factory=list)
    injected: list[Injected] = field(default_factory=list)
    allowed: Callable[[Call], bool] = lambda call: True
    """Whether a call is allowed: the server's authorization."""
    latency: float = 0.0
    """Seconds that every call takes before it has an effect."""
    held: dict[str, asyncio.Event] = field(default_factory=dict)
    """By verb, what answers wait for once the server has done what was asked."""
    up: bool = True
    connections: int = 0
    """Number of times that all watches were ended."""
    expirations: int = 0
    """Number of times that all watches were ended with 410."""
    answers: dict[str, Answer] = field(default_factory=dict)
    """By path, what `read` and `ask` return; a function is called with the query or the body."""
    streams: dict[str, Sequence[bytes]] = field(default_factory=dict)
    sockets: dict[str, Callable[..., Socket]] = field(default_factory=dict)
    """By path, a function of query and protocols."""
    written: asyncio.Event = field(default_factory=asyncio.Event)
