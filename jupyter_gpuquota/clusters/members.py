"""The clusters of a controller: which can be used, and which one something belongs to."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence

from ..core.names import not_found
from ..errors import GpuQuotaError, Unavailable
from ..model.clusters.names import cluster_of
from ..ports.backend import Backend
from .outside import outside

_log = logging.getLogger(__name__)

_AGAIN = 10.0
"""Seconds until a cluster that could not be reached is tried again."""
_CONNECTING = "It is being connected."


class Member:
    """A cluster. The first one starts with the controller, the others whenever they can.

    `open_backend` returns its backend: a new one for each attempt to reach it. `first` is the name
    of the first one.
    """

    def __init__(self, name: str, open_backend: Callable[[], Backend], first: str) -> None:
        self.name = name
        self.problem = "" if name == first else _CONNECTING
        """Why it cannot be used now, empty if it can."""
        self.pause = _AGAIN
        self._open = open_backend if name == first else lambda: outside(name, open_backend(), first)
        self.backend = self._open()

    async def start(self) -> None:
        """Start. Raises GpuQuotaError."""
        await self.backend.resident.start()
        self.problem = ""

    async def keep_trying(self, changed: Callable[[], None]) -> None:
        """Start as soon as that is possible; call `changed` when `problem` has changed."""
        while self.problem:
            before = self.problem
            try:
                await self.start()
            except GpuQuotaError as error:
                self.problem = error.message
                if self.problem != before:
                    _log.warning("the cluster %s cannot be used: %s", self.name, self.problem)
                    changed()
                await self.backend.resident.close()
                self.backend = self._open()
                await asyncio.sleep(self.pause)
            else:
                changed()

    async def close(self) -> None:
        """Release all resources; sessions keep running."""
        await self.backend.resident.close()


class Members(Mapping[str, Backend]):
    """The backends of clusters by their names, the first one first."""

    def __init__(self, members: Sequence[Member]) -> None:
        self.members = {member.name: member for member in members}
        self.first, *self.others = members

    def __getitem__(self, name: str) -> Backend:
        """Return the backend of a cluster. Raises KeyError, Unavailable."""
        member = self.members[name]
        if member.problem:
            raise Unavailable(
                f"The cluster {name} cannot be used: {member.problem}",
                hint="The other clusters can be used meanwhile.",
            )
        return member.backend

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names."""
        return iter(self.members)

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self.members)

    def usable(self) -> list[Backend]:
        """Return the backends of the clusters that can be used now."""
        return [member.backend for member in self.members.values() if not member.problem]

    def of(self, project: str) -> Backend:
        """Return the backend that has a project. Raises Unavailable."""
        name = cluster_of(project)
        return self[name] if name in self.members else self.first.backend

    def having(self, session_id: str) -> Backend:
        """Return the backend that has a session. Raises NotFound."""
        for backend in self.usable():
            if any(session.id == session_id for session in backend.sessions.all()):
                return backend
        raise not_found(session_id)

    def problems(self) -> tuple[str, ...]:
        """Return which clusters cannot be used, and why."""
        return tuple(
            f"{member.name}: {member.problem}"
            for member in self.members.values()
            if member.problem not in {"", _CONNECTING}
        )
