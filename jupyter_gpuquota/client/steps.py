"""The steps that an operation is made of, performed by one of the two senders.

An operation is a generator: it yields steps, receives their results (or their errors, raised at
the yield), and returns its own. It does no input or output itself, so that it is written once for
blocking and asynchronous callers, and tested with neither.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Any, TypeVar

from ..model.base import Request

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Ask:
    """Ask the server; the result is the decoded answer. `timeout` in seconds."""

    route: str
    args: dict[str, str] = field(default_factory=dict)
    query: Request | None = None
    body: Request | None = None
    timeout: float = 60.0


@dataclass(frozen=True, slots=True)
class Listen:
    """Ask a route that streams; the result is an `Answers`, which the operation closes."""

    ask: Ask


@dataclass(frozen=True, slots=True)
class Look:
    """Look at the surroundings; the result is the function's. It may block."""

    function: Callable[[], Any]


@dataclass(frozen=True, slots=True)
class Pause:
    """Wait for some seconds."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Emit:
    """Hand one item to whoever iterates over the operation."""

    item: Any


Step = Ask | Listen | Look | Pause | Emit
Operation = Generator[Step, Any, T]


def ask(route: str, session_id: str = "", **details: Any) -> Operation[Any]:
    """Ask one route; `details` are those of `Ask`."""
    args = {"id": session_id} if session_id else {}
    return (yield Ask(route, args, **details))


def look(function: Callable[[], T]) -> Operation[T]:
    """Return what a function finds in the surroundings."""
    found: T = yield Look(function)
    return found
