"""A backend: a record of what it can do. What only some can is None where it is missing.

Every method may be called from one event loop at any time and never blocks it; what is not awaited
returns at once, from memory. Errors are those of `errors`; nothing of an engine's own escapes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, TypeVar

from ..errors import Unsupported
from .access import Access
from .administration import Administration
from .changes import Changes
from .inventory import Inventory
from .planning import Planning
from .policing import Policing
from .sessions import Exec, Ingress, Logs, Sessions
from .usage import History, Usage

T = TypeVar("T")

CAPABILITIES: Mapping[str, str] = {
    "logs": "keeps no logs",
    "exec": "cannot run programs inside sessions",
    "ingress": "cannot show sessions in a browser",
    "history": "keeps no history of use",
    "administration": "has its projects set elsewhere",
    "policing": "does not act on idle sessions",
}
"""What a backend may lack, and how that is said."""


class Resident(Protocol):
    """What lives in a controller for as long as it holds the backend."""

    async def start(self) -> None:
        """Load the state and adopt what runs. Raises StorageFailed, VersionMismatch."""

    async def close(self) -> None:
        """Let go of everything; sessions run on."""

    def idle(self) -> bool:
        """Return whether nothing is left to look after."""


@dataclass(frozen=True, slots=True)
class Differences:
    """What an engine other than our own may do in another way, and still be right.

    `tells_taker`: a reclaimed session names the session that it gave way to. `knows_position`: a
    waiting session has a place in its project's queue. `stops_at_once`: a waiting session that is
    stopped is `stopped` in the answer. `orders_within_a_second`: sessions that are created within
    a second are listed in that order. `outlives_controller`: sessions run on without it.
    """

    tells_taker: bool = True
    knows_position: bool = True
    stops_at_once: bool = True
    orders_within_a_second: bool = True
    outlives_controller: bool = True


@dataclass(frozen=True, slots=True)
class Backend:
    """All that a backend can do."""

    name: str
    resident: Resident
    sessions: Sessions
    inventory: Inventory
    changes: Changes
    access: Access
    planning: Planning
    usage: Usage
    logs: Logs | None = None
    exec: Exec | None = None
    ingress: Ingress | None = None
    history: History | None = None
    administration: Administration | None = None
    policing: Policing | None = None
    differences: Differences = Differences()

    @property
    def capabilities(self) -> tuple[str, ...]:
        """The optional abilities that this backend has."""
        return tuple(name for name in CAPABILITIES if getattr(self, name) is not None)


def require(backend: Backend, name: str, ability: T | None) -> T:
    """Return an ability of a backend, which is `backend.<name>`. Raises Unsupported."""
    if ability is None:
        raise Unsupported(
            f"The {backend.name} backend {CAPABILITIES[name]}.",
            hint=f"It offers: {', '.join(backend.capabilities) or 'nothing optional'}.",
        )
    return ability
